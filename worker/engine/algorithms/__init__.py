"""What methods, goals and measures share."""
