"""The privacy models: one file each; nothing outside a file says its name."""
