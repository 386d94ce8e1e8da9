"""The search for the best node of a lattice of generalization levels."""
