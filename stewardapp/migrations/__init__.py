"""Schema history; one initial migration until the first release."""
