"""Differential privacy: bounding, cells, noise, accuracy, post-processing."""
