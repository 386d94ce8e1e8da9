"""The site in containers, really started: `make containers`, no part of the suite."""

import os

import django

# Helpers of the journeys know models.
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "stewardapp.settings")
django.setup()
