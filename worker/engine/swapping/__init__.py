"""Values and households that change places."""
