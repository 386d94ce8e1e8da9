"""The demo's microdata: invented people, the same for the same seed."""

import csv
import io
from collections.abc import Iterator

import numpy as np

HEADER = (
    "person_id", "birth_date", "sex", "postcode", "education", "household",
    "diagnosis", "income", "weight", "email", "agreed", "remarks",
)  # fmt: skip
EDUCATION = ("primary", "lower secondary", "upper secondary", "bachelor", "master", "doctorate")
DIAGNOSES = (
    "healthy", "hypertension", "asthma", "diabetes", "depression", "back pain",
    "migraine", "arthritis", "heart failure", "epilepsy",
)  # fmt: skip
REMARKS = ("", "", "", "interview by telephone", "second visit needed", "answered by a relative")


def health_survey(rows: int = 2000, seed: int = 1) -> str:
    """Return a health survey as CSV text: every role a column can have occurs in it."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(HEADER)
    writer.writerows(_people(rows, np.random.Generator(np.random.PCG64(seed))))
    return buffer.getvalue()


def _people(rows: int, draw: np.random.Generator) -> Iterator[tuple[object, ...]]:
    births = np.datetime64("1935-01-01") + draw.integers(0, 25_000, rows)
    district = draw.integers(0, 12, rows)
    postcodes = 2100 + 10 * district + draw.integers(0, 6, rows)
    education = draw.choice(len(EDUCATION), rows, p=(0.10, 0.17, 0.35, 0.22, 0.13, 0.03))
    age = (np.datetime64("2026-01-01") - births).astype(int) // 365
    diagnosis = _diagnoses(age, draw)
    incomes = np.round(draw.lognormal(10.1 + 0.12 * education, 0.45), -2).astype(int)
    sexes = draw.choice(("F", "M"), rows, p=(0.52, 0.48))
    weights = np.round(draw.uniform(40, 160, rows), 1)
    answered = draw.random(rows)
    remarks = draw.integers(0, len(REMARKS), rows)
    for i in range(rows):
        yield (
            f"P{i + 1:06d}",
            str(births[i]),
            str(sexes[i]),
            f"0{postcodes[i]}" if answered[i] > 0.01 else "",
            EDUCATION[education[i]],
            f"H{i // 2 + 1:05d}",
            DIAGNOSES[diagnosis[i]],
            str(incomes[i]) if answered[i] < 0.96 else "",
            f"{weights[i]:.1f}",
            f"person{i + 1}@example.org",
            "yes" if answered[i] < 0.985 else "no",
            REMARKS[remarks[i]],
        )


def _diagnoses(age: "np.ndarray[tuple[int], np.dtype[np.int64]]", draw: np.random.Generator) -> list[int]:
    """Older people are healthy less often, so that a release has something to keep."""
    healthy = draw.random(len(age)) > np.clip((age - 20) / 110, 0.1, 0.75)
    others = 1 + draw.choice(9, len(age), p=(0.24, 0.14, 0.14, 0.12, 0.13, 0.09, 0.08, 0.04, 0.02))
    return [0 if fine else int(other) for fine, other in zip(healthy, others, strict=True)]
