"""How far columns hang together: association of categories, numbers and both."""
