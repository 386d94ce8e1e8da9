"""The methods: one file each; nothing outside a file says its name."""
