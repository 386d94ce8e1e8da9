"""Installations to run."""

from tests.site_fixtures import *  # noqa: F403
