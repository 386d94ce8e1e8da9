"""The thresholds of policies are rows alone."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('stewardapp', '0039_thresholds_to_rows'),
    ]

    operations = [
        *(
            migrations.RemoveConstraint(model_name='policy', name=name)
            for name in ('policy_k_at_least_one', 'policy_risk_is_a_share', 'policy_unique_is_a_share')
        ),
        *(
            migrations.RemoveField(model_name='policy', name=name)
            for name in ('minimum_k', 'maximum_risk', 'maximum_unique')
        ),
    ]
