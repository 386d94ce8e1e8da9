"""What was taken from a population's budget: rows that are only ever added."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from django.db import models
from django.db.models import Q

from stewardapp.access.roles import Permission
from stewardapp.models.base import Record, one_of
from stewardapp.models.membership import seen_through
from stewardapp.models.user import AnyUser
from worker.engine.contracts.privacy import Protected, Spend

if TYPE_CHECKING:
    from stewardapp.models.population import Population

REFUSED = "charges are only added to"


class ChargeQuerySet(models.QuerySet["Charge"]):
    """Questions about charges; the database itself refuses to change or remove one."""

    def visible_to(self, user: AnyUser) -> ChargeQuerySet:
        """Charges of projects this person sees."""
        return seen_through(self, user, "project", Permission.VIEW_PROJECT, admins=True, officers=True)

    def about(self, population: Population) -> ChargeQuerySet:
        """What was bought about these people themselves, not because others share people with them."""
        from stewardapp.models.version import Version

        held = Version.objects.filter(dataset__population=population).values("sha256")
        of_them = Q(direct=True) | Q(version__sha256__in=held)
        return self.filter(of_them, population=population)

    def unknown_to(self, population: Population) -> ChargeQuerySet:
        """Those that this population has not paid for."""
        same = Q(query=models.OuterRef("query")) | Q(run=models.OuterRef("run"), step=models.OuterRef("step"))
        return self.exclude(models.Exists(Charge.objects.filter(same, population=population)))

    def protecting(self, unit: Protected) -> ChargeQuerySet:
        """What was bought with a promise to persons, or to rows."""
        return self.filter(unit=unit)

    def total(self) -> Spend:
        """The sum of all."""
        found = self.aggregate(epsilon=models.Sum("epsilon_micro"), delta=models.Sum("delta_femto"))
        return Spend(int(found["epsilon"] or 0), int(found["delta"] or 0))

    def update(self, **kwargs: Any) -> NoReturn:  # noqa: ARG002
        """Refused: a charge is never changed."""
        raise TypeError(REFUSED)

    def delete(self) -> NoReturn:
        """Refused: a charge is never given back."""
        raise TypeError(REFUSED)


class Charge(Record):
    """An amount for one step of one run, or for one query, taken from one population.

    A purchase has one row for the population of the data and one for each that shares people with it.
    """

    # No indexes but those of the constraints, which serve every page: each one slows every purchase.
    population = models.ForeignKey(
        "stewardapp.Population", on_delete=models.PROTECT, db_index=False, related_name="charges"
    )
    project = models.ForeignKey(
        "stewardapp.Project", on_delete=models.PROTECT, db_index=False, related_name="charges"
    )
    version = models.ForeignKey(
        "stewardapp.Version", on_delete=models.PROTECT, db_index=False, related_name="charges"
    )
    by = models.ForeignKey(
        "stewardapp.User", on_delete=models.PROTECT, db_index=False, related_name="charges"
    )
    run = models.ForeignKey(
        "stewardapp.Run",
        on_delete=models.PROTECT,
        db_index=False,
        null=True,
        blank=True,
        related_name="charges",
    )
    step = models.SmallIntegerField(null=True, blank=True)
    query = models.UUIDField(null=True, blank=True)
    direct = models.BooleanField(default=True)  # False: only because the populations share people
    what = models.CharField(max_length=200)
    # Whom it protects: what was bought before this was written down is taken to protect rows.
    unit = models.CharField(max_length=6, default=Protected.ROW)
    epsilon_micro = models.BigIntegerField()
    delta_femto = models.BigIntegerField(default=0)

    objects = ChargeQuerySet.as_manager()

    class Meta:
        ordering = ("created_at", "id")
        constraints = [
            models.UniqueConstraint(
                fields=("run", "step", "population"),
                condition=Q(run__isnull=False),
                name="charge_once_per_step",
            ),
            models.UniqueConstraint(fields=("population", "query"), name="charge_once_per_query"),
            models.CheckConstraint(
                condition=Q(run__isnull=False, step__isnull=False, query__isnull=True)
                | Q(run__isnull=True, step__isnull=True, query__isnull=False),
                name="charge_for_a_step_or_a_query",
            ),
            one_of("charge_unit_known", "unit", Protected),
            models.CheckConstraint(
                condition=Q(epsilon_micro__gte=0, delta_femto__gte=0)
                & (Q(epsilon_micro__gt=0) | Q(delta_femto__gt=0)),
                name="charge_takes_something",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.what}: ε {self.spend.epsilon}"

    @property
    def spend(self) -> Spend:
        """The amount."""
        return Spend(self.epsilon_micro, self.delta_femto)

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Add the charge; a written one is never changed."""
        if not self._state.adding:
            raise TypeError(REFUSED)
        kwargs["force_insert"] = True
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:  # noqa: ARG002
        """Refused: a charge is never given back."""
        raise TypeError(REFUSED)
