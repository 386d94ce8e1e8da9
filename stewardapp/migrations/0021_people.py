"""Sessions that can be ended for good, and roles that count for later releases only."""

from typing import Any

from django.db import migrations, models


def mark(apps: Any, schema_editor: Any) -> None:
    """Roles that administrators hold count from when they were taken on, as those they take now."""
    apps.get_model("stewardapp", "Membership").objects.filter(user__is_staff=True).update(later_only=True)


class Migration(migrations.Migration):
    dependencies = [("stewardapp", "0020_versions_are_immutable")]
    operations = [
        migrations.AddField(
            "user", "session_epoch", models.PositiveIntegerField(default=0, editable=False)
        ),
        migrations.AddField("membership", "later_only", models.BooleanField(default=False, editable=False)),
        migrations.RunPython(mark, migrations.RunPython.noop),
    ]
