"""One column's distribution, before and after."""
