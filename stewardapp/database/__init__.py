"""What the database itself does: triggers that refuse, a purchase as one procedure, forgetting."""
