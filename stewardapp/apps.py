"""The one Django app of the product."""

from django.apps import AppConfig


class StewardConfig(AppConfig):
    """Name and verbose name of the app; everything else is found by convention."""

    name = "stewardapp"
    verbose_name = "Data steward"
    default_auto_field = "django.db.models.BigAutoField"
