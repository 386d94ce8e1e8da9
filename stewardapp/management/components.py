"""What the desk is made of that others wrote: a bill of materials (CycloneDX 1.6) of all that is pinned.

It follows from the lock files alone, so that two machines write the same bytes. The digests of packages stand
in `requirements-site.txt`, several for each, because what is installed differs by processor.
"""

from __future__ import annotations

import base64
import json
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5

from django.conf import settings

ROOT = Path(settings.BASE_DIR)
PINNED = re.compile(
    r"^(?P<name>[A-Za-z0-9._-]+)(?:\[[^]]*])?==(?P<version>[^\s;]+)(?: *; *(?P<when>[^\\]*))?"
)
WANTED_BY = re.compile(r"^    # +(?:via$|via +)?(?P<by>\S.*)?$")
BROWSER = "static/vendor/vendor.json"


@dataclass
class Pinned:
    """One package of a lock file, and which packages want it: none if the desk itself does."""

    name: str
    version: str
    when: str
    wanted_by: list[str]

    @property
    def purl(self) -> str:
        """Its name everywhere."""
        return f"pkg:pypi/{self.name}@{self.version}"


def pinned(text: str) -> list[Pinned]:
    """The packages of a compiled file of requirements."""
    found: list[Pinned] = []
    for line in text.splitlines():
        if head := PINNED.match(line):
            found.append(Pinned(head["name"], head["version"], (head["when"] or "").strip(), []))
        elif found and (comment := WANTED_BY.match(line)) and comment["by"]:
            found[-1].wanted_by.append(comment["by"])
    return found


def bill_of_materials() -> str:
    """All components with their versions, and who needs whom."""
    packages = pinned((ROOT / "requirements-site.txt").read_text())
    vendored = json.loads((ROOT / BROWSER).read_text())["packages"]
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    desk = {"type": "application", "bom-ref": "desk", "name": "release-desk", "version": version}
    components = [*map(_package, packages), *map(_vendored, vendored)]
    refs = [one.purl for one in packages] + [_browser_purl(one) for one in vendored]
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid5(NAMESPACE_URL, json.dumps(components))}",
        "version": 1,
        "metadata": {"component": desk},
        "components": components,
        "dependencies": _needs(packages, refs),
    }
    return json.dumps(document, indent=1) + "\n"


def _package(one: Pinned) -> dict[str, object]:
    made = {
        "type": "library",
        "bom-ref": one.purl,
        "name": one.name,
        "version": one.version,
        "purl": one.purl,
    }
    return made | ({"properties": [{"name": "installed when", "value": one.when}]} if one.when else {})


def _browser_purl(one: dict[str, str]) -> str:
    return f"pkg:npm/{quote(one['name'])}@{one['version']}"


def _vendored(one: dict[str, str]) -> dict[str, object]:
    purl = _browser_purl(one)
    return {
        "type": "library",
        "bom-ref": purl,
        "name": one["name"],
        "version": one["version"],
        "licenses": [{"license": {"name": one["licence"]}}],
        "hashes": [{"alg": "SHA-512", "content": base64.b64decode(one["integrity"].partition("-")[2]).hex()}],
        "purl": purl,
    }


def _needs(packages: list[Pinned], refs: list[str]) -> list[dict[str, object]]:
    known = {one.name: one.purl for one in packages}
    needs: dict[str, list[str]] = {ref: [] for ref in ["desk", *refs]}
    needs["desk"] += [ref for ref in refs if ref.startswith("pkg:npm/")]
    for one in packages:
        for by in one.wanted_by:
            needs[known.get(by.partition("[")[0], "desk")].append(one.purl)
    return [{"ref": ref, "dependsOn": sorted(set(on))} for ref, on in needs.items()]
