"""Untrusted input to typed values."""
