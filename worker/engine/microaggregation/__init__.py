"""Groups of at least k similar rows, of one column or of many."""
