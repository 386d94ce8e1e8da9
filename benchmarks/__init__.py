"""Our figures beside a peer's, measured in the same run."""
