"""Every part of the desk has words, and a remedy only where one is needed."""

from dataclasses import replace

from django.utils import timezone

from stewardapp.domain.vitals import Health, Noted, Vitals, signs
from stewardapp.presenters.status import STATUSES
from stewardapp.presenters.vitals import WORDS, told


def test_every_part_has_words() -> None:
    found = signs(Vitals(now=timezone.now(), noted=Noted()))
    assert {sign.part for sign in found} == WORDS.keys()
    assert {str(health) for health in Health} < STATUSES.keys()


def test_what_is_well_needs_no_remedy() -> None:
    [sign, *_] = signs(Vitals(now=timezone.now()))
    assert told(sign).remedy
    assert not told(replace(sign, health=Health.OK)).remedy
