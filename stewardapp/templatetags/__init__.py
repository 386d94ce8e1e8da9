"""Tags and filters the templates load."""
