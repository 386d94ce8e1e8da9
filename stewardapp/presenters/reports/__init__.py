"""Reports: one plain structure, made once for each audience, written as a page, as PDF and as JSON."""
