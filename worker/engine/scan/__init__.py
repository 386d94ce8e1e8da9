"""Which sets of columns tell rows apart, and single people out."""
