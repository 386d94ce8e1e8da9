"""What pages ask of the database and of stored bytes; nothing here writes, and tests count the questions."""
