"""What is said of vulnerabilities follows from what an index answered."""

import pytest

from tests.architecture.vulnerabilities import told

FINE = {"name": "django", "version": "5.2.0", "vulns": []}
WEAK = {"name": "pillow", "version": "1.0", "vulns": [{"id": "PYSEC-1"}]}
SKIPPED = {"name": "vine", "skip_reason": "not found"}


@pytest.mark.parametrize(
    ("packages", "said", "stops"),
    [
        ([], "NOT looked up", False),
        ([SKIPPED], "NOT looked up", False),
        ([FINE, SKIPPED], "in 1 packages; not looked up: vine", False),
        ([FINE], "No known vulnerability in 1 packages.", False),
        ([FINE, WEAK, SKIPPED], "pillow 1.0", True),
    ],
)
def test_silence_is_no_good_news(packages: list[dict[str, object]], said: str, stops: bool) -> None:
    line, stopped = told(packages)
    assert said in line
    assert stopped is stops
