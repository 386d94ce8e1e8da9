"""Cells hidden one by one, and class sizes when a hidden cell may stand for any value."""
