"""What the engine's process can be asked to do: one file each, found by its name."""
