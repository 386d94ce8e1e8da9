"""What a run keeps to be measured again, and the other releases that measures could look at."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("stewardapp", "0042_assessments")]

    operations = [
        migrations.AddField(
            model_name="run",
            name="kept",
            field=models.ManyToManyField(blank=True, related_name="kept_by", to="stewardapp.blob"),
        ),
        migrations.AddField(
            model_name="run",
            name="others",
            field=models.ManyToManyField(blank=True, related_name="others_of", to="stewardapp.run"),
        ),
        migrations.AddField(
            model_name="assessment",
            name="others",
            field=models.ManyToManyField(
                blank=True, related_name="others_of_assessments", to="stewardapp.run"
            ),
        ),
    ]
