"""What a policy demands of figures becomes rows, and a run keeps the figures they read in clear."""

import uuid

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('stewardapp', '0037_repeated_questions'),
    ]

    operations = [
        migrations.AddField(
            model_name='run',
            name='figures',
            field=models.JSONField(blank=True, default=dict),
        ),
        migrations.CreateModel(
            name='PolicyRow',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('position', models.PositiveSmallIntegerField()),
                ('measure', models.CharField(max_length=64)),
                ('params', models.JSONField(blank=True, default=dict)),
                ('figure', models.CharField(max_length=64)),
                ('part', models.CharField(blank=True, default='', max_length=64)),
                ('bound', models.DecimalField(decimal_places=4, max_digits=16)),
                ('family', models.CharField(default='any', max_length=64)),
                ('excusable', models.BooleanField(default=False)),
                ('policy', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rows', to='stewardapp.policy')),
            ],
            options={
                'ordering': ('policy_id', 'position'),
                'constraints': [
                    models.UniqueConstraint(fields=('policy', 'position'), name='policy_row_position_once'),
                    models.CheckConstraint(condition=models.Q(('position__gte', 1)), name='policy_row_position_counts'),
                ],
            },
        ),
    ]
