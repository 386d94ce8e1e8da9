"""Values to what a template prints."""
