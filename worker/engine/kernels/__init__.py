"""Compiled loops. Import these modules inside functions only: the web process never loads numba."""
