"""What must be true of the code as a whole."""
