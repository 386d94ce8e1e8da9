"""Regions of a table cut at medians and down hierarchies until the goals allow no further cut."""
