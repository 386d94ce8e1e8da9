"""Values computed from rows and stored bytes; nothing here writes."""
