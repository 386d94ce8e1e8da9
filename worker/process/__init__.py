"""The engine in a process of its own: who starts it and listens, what runs inside, what goes in and out."""
