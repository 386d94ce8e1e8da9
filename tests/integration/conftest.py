"""A database that grew up through every version."""

from tests.integration.growing import earlier, grown, grown_up

__all__ = ["earlier", "grown", "grown_up"]
