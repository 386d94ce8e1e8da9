"""Our figures beside a peer's or a physical reference, same data, same run."""
