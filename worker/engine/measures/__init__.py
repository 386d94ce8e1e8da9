"""The measures: one file each; nothing outside a file says its name."""
