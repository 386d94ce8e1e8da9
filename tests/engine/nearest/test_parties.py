"""Who is compared with whom."""

import pytest

from tests.engine.nearest.made_up import FILE, MadeUp, random_files
from worker.engine.contracts.measure import DoesNotApply
from worker.engine.execution.measuring import _scene
from worker.engine.measures.risk.hold_out_distances import HoldOutDistances
from worker.engine.nearest.parties import Parties


def parties(files: MadeUp, file: str | None = None) -> Parties:
    setting = files.setting
    return Parties.of(_scene(HoldOutDistances(), setting, setting.after), file)


def test_rows_that_were_set_aside_are_not_among_those_learnt_from():
    files = random_files(1)
    found = parties(files)
    assert (found.training.rows(), found.hold_out.rows()) == (len(files.training), len(files.hold_out))


def test_a_file_is_a_hold_out_beside_the_whole_original():
    files = random_files(1, file=True)
    found = parties(files, FILE)
    assert (found.training.rows(), found.hold_out.rows()) == (32, 32)
    with pytest.raises(DoesNotApply):
        parties(files)


def test_samples_are_of_one_size_unless_asked_otherwise():
    files = random_files(1, rows=60)
    files.training += files.training
    assert [len(one) for one in parties(files).cells(40, 5)] == [40, 40, 5]
    assert [len(one) for one in parties(files).cells(1000, 5)[:2]] == [60, 60]
    assert [len(one) for one in parties(files).cells(1000, 5, alike=False)[:2]] == [120, 60]
