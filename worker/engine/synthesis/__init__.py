"""Models of columns and of what ties them together, from which new rows are made up."""
