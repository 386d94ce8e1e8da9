"""Policies bound what the cells of one column give away together; those that were written set no bound."""

from decimal import Decimal

from django.db import migrations, models


def bound(**options):
    return models.DecimalField(blank=True, decimal_places=4, max_digits=8, null=True, **options)


class Migration(migrations.Migration):

    dependencies = [
        ('stewardapp', '0034_accounts_handed_over'),
    ]

    operations = [
        migrations.AddField(model_name='policy', name='maximum_local_epsilon', field=bound()),
        migrations.AlterField(model_name='policy', name='maximum_local_epsilon', field=bound(default=Decimal('3'))),
        migrations.AddConstraint(
            model_name='policy',
            constraint=models.CheckConstraint(condition=models.Q(('maximum_local_epsilon__isnull', True), ('maximum_local_epsilon__gte', 0), _connector='OR'), name='policy_local_epsilon_not_negative'),
        ),
    ]
