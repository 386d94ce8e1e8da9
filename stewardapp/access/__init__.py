"""Who may do what, when: pure functions that answer with a reason."""
