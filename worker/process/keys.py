"""Keys that are made of keys: what a run draws with, and what all runs on a version draw alike with."""

import hmac


def randomness(key: bytes) -> bytes:
    """The key of a run's random draws: the same on every attempt and afterwards, gone with the run's own."""
    return hmac.digest(key, b"randomness", "sha256")


def shared_randomness(key: bytes) -> bytes:
    """The key of what every run on a version draws alike: gone with the version's own key."""
    return hmac.digest(key, b"randomized answers", "sha256")
