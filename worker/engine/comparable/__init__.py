"""Both sides of a release in the same words, so that their rows can be held against one another."""
