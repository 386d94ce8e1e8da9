"""Questions that analysts ask of a file: counts, shares, sums and means of the rows that meet conditions."""
