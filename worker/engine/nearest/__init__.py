"""Made-up rows beside those they were made from and beside rows that no step saw."""
