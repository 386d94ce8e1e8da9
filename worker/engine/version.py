"""The engine's own version, written into every report and manifest."""

VERSION = "0.2.0"
