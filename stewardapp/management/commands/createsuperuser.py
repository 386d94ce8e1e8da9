"""Django's own command in name only: it would leave no line in the audit log."""

from stewardapp.management.refusing import Refusing


class Command(Refusing):
    pass
