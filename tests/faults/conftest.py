"""Installations to break."""

from tests.site_fixtures import *  # noqa: F403
