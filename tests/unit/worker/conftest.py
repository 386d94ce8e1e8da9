"""A machine of its own for each test: database file, data folder, broker folder."""

from tests.site_fixtures import *  # noqa: F403
