"""The one Django app of the product."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class StewardConfig(AppConfig):
    """Name and verbose name of the app; everything else is found by convention."""

    name = "stewardapp"
    verbose_name = "Data steward"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Connect what the sign-in pages do to the audit log, and what the database itself does."""
        from django_structlog.signals import bind_extra_request_metadata

        from stewardapp import accounts, logs  # models exist only now
        from stewardapp.database import guards, purchase

        accounts.listen()
        bind_extra_request_metadata.connect(logs.bind_address, dispatch_uid="address of a request")
        post_migrate.connect(guards.install, sender=self)
        post_migrate.connect(purchase.install, sender=self)
