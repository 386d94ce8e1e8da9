"""A module has its tests in the file of the same name; those that have none are listed, and the list shrinks.

Rooms of which one test walks over every file need no more than that test.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LISTED = Path(__file__).with_name("unmirrored.txt")
# Where the tests of a folder lie; the longest name that fits counts.
MIRRORS = {"stewardapp": "tests/unit", "worker": "tests/unit/worker", "worker/engine": "tests/engine"}
WALKED = {
    "stewardapp/actions": "tests/unit/actions/test_one_event_each.py",
    "worker/engine/goals": "tests/engine/test_contracts.py",
    "worker/engine/measures": "tests/engine/test_contracts.py",
    "worker/engine/methods": "tests/engine/test_contracts.py",
}
WITHOUT = ("migrations",)
"""History."""


def modules() -> list[Path]:
    """Every module that holds code, as its path below the root."""
    found = (
        path.relative_to(ROOT) for top in ("stewardapp", "worker") for path in (ROOT / top).rglob("*.py")
    )
    return sorted(one for one in found if one.parent.name not in WITHOUT and says_something(one))


def says_something(module: Path) -> bool:
    """Whether there is more in it than the sentence of a package."""
    return module.name != "__init__.py" or len((ROOT / module).read_text(encoding="utf-8").splitlines()) > 20


def mirror(module: Path) -> Path:
    """Where the tests of a module belong."""
    top = max((one for one in MIRRORS if module.is_relative_to(one)), key=len)
    inside = module.relative_to(top)
    name = inside.parent.name if inside.name == "__init__.py" else inside.stem.strip("_")
    return Path(MIRRORS[top]) / inside.parent / f"test_{name}.py"


def walked(module: Path) -> bool:
    """Whether a test finds the module by itself."""
    return any(module.is_relative_to(room) and (ROOT / test).exists() for room, test in WALKED.items())


def lacking() -> list[str]:
    """The modules without tests of their own."""
    found = (module for module in modules() if not walked(module))
    return [module.as_posix() for module in found if not (ROOT / mirror(module)).exists()]


def test_a_module_has_its_tests_or_is_listed() -> None:
    assert lacking() == LISTED.read_text(encoding="utf-8").split()


def test_the_mirror_of_a_module() -> None:
    assert mirror(Path("stewardapp/actions/runs.py")) == Path("tests/unit/actions/test_runs.py")
    assert mirror(Path("worker/engine/methods/pram.py")) == Path("tests/engine/methods/test_pram.py")
    assert mirror(Path("worker/queue/claim.py")) == Path("tests/unit/worker/queue/test_claim.py")
