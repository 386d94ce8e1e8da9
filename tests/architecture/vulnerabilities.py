"""Whether what a site installs has known vulnerabilities: `python -m tests.architecture.vulnerabilities`.

Red if an index of vulnerabilities knows one. Where none answers there is nothing to go by, and that is said.
"""

import json
import subprocess
import sys
from pathlib import Path

LOCKED = Path(__file__).parents[2] / "requirements-site.txt"
COMMAND = [
    *(sys.executable, "-m", "pip_audit", "--requirement", str(LOCKED), "--require-hashes", "--disable-pip"),
    *("--progress-spinner", "off", "--timeout", "10", "--format", "json"),
]
SECONDS = 120


def answered() -> list[dict[str, object]]:
    """What is said of each package; nothing where no index answers."""
    try:
        said = subprocess.run(COMMAND, check=False, capture_output=True, timeout=SECONDS).stdout
        return list(json.loads(said)["dependencies"])
    except (subprocess.TimeoutExpired, ValueError):
        return []


def told(packages: list[dict[str, object]]) -> tuple[str, bool]:
    """A line for the person who checks, and whether it is a reason to stop."""
    known = [one for one in packages if "vulns" in one]
    weak = [f"{one['name']} {one['version']}: {one['vulns']}" for one in known if one["vulns"]]
    if weak:
        return "Known vulnerabilities:\n" + "\n".join(weak), True
    if not known:
        return "Known vulnerabilities were NOT looked up: no index of them answers here.", False
    skipped = [str(one["name"]) for one in packages if "vulns" not in one]
    rest = f"; not looked up: {', '.join(skipped)}" if skipped else ""
    return f"No known vulnerability in {len(known)} packages{rest}.", False


if __name__ == "__main__":
    line, stops = told(answered())
    print(line)
    sys.exit(int(stops))
