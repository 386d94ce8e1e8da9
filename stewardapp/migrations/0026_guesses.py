"""Wrong guesses are counted by our own doors; what the library before them kept, names and addresses, is gone."""

from django.db import migrations, models

# Children first.
LEFT_BEHIND = ("accessattemptexpiration", "accessattempt", "accesslog", "accessfailurelog")


class Migration(migrations.Migration):
    dependencies = [("stewardapp", "0025_holders_decide")]

    operations = [
        migrations.CreateModel(
            name="Guesses",
            fields=[
                ("key", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("wrong", models.PositiveIntegerField(default=0)),
                ("last", models.DateTimeField(db_index=True, null=True)),
                ("not_before", models.DateTimeField(null=True)),
            ],
        ),
        *(migrations.RunSQL(f"DROP TABLE IF EXISTS axes_{name}", migrations.RunSQL.noop) for name in LEFT_BEHIND),
    ]
