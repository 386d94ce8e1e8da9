"""What must be true of a site that runs in containers."""

from __future__ import annotations

import http.client
import os
import re
from collections.abc import Iterator
from contextlib import closing

from tests.containers.docker import Failed
from tests.containers.installation import HOST, Installation
from tests.containers.journey import spoken_to
from tests.functional.desk import until

ROOT_CERTIFICATE = "/data/caddy/pki/authorities/local/root.crt"
STAYING = ("proxy", "web", "worker", "postgres", "redis")
USERS = {"proxy": "0", "web": "10001", "worker": "10001", "postgres": "999", "redis": "999"}
COMPILED = "import os; print(sum(len(names) for _, _, names in os.walk('/data/kernels')))"
WARM = "from worker.engine.execution import warming; print(warming.warm())"

Seen = tuple[str, str]


def everything(site: Installation) -> Iterator[Seen]:
    """Of a site that has just been started."""
    yield "healthy", healthy(site)
    yield "published", _published(site)
    for name in STAYING:
        yield "confined", _confined(site, name)
    yield "site key", _key(site)
    yield "broker", _broker(site)
    yield "index", _forgotten(site)
    yield "certificate", _certificate(site)
    yield "plain HTTP", _redirected()


def afterwards(site: Installation) -> Iterator[Seen]:
    """Of a site on which somebody worked."""
    yield "compiled", _compiled(site)
    yield "client", _client(site)
    yield "audit log", site.manage("verify_audit").strip()
    yield "copied", _backed_up(site)


def healthy(site: Installation) -> str:
    """All of them; by then no network comes or goes, of which a browser would think that its own changed."""

    def states() -> dict[str, str]:
        return {name: one["State"]["Health"]["Status"] for name, one in _staying(site).items()}

    until(lambda: set(states().values()) == {"healthy"}, 180, "all of them are healthy")
    return ", ".join(states())


def _staying(site: Installation) -> dict[str, dict[str, dict[str, dict[str, str]]]]:
    return {name: one for name, one in site.containers().items() if name in STAYING}


def _published(site: Installation) -> str:
    known = site.containers().items()
    ports = {name: sorted(filter(None, one["HostConfig"]["PortBindings"] or {})) for name, one in known}
    assert {name: found for name, found in ports.items() if found} == {"proxy": ["443/tcp", "80/tcp"]}
    return "the proxy's ports alone"


def _confined(site: Installation, name: str) -> str:
    """As the kernel sees the processes, and as they see their files."""
    allowed = "0000000000000400" if name == "proxy" else "0000000000000000"  # binding low ports
    status = dict(re.findall(r"^(\w+):\s+(.*)$", site.inside(name, "cat", "/proc/1/status"), re.MULTILINE))
    assert status["Uid"].split()[0] == USERS[name], status["Uid"]
    assert status["NoNewPrivs"] == "1"
    assert status["CapBnd"] == allowed, status["CapBnd"]
    for place in ("/", "/usr", "/etc", *(["/desk"] if name in {"web", "worker"} else [])):
        _refused(site, name, "touch", f"{place.rstrip('/')}/written")
    return f"{name} as user {USERS[name]}"


def _refused(site: Installation, name: str, *command: str) -> str:
    try:
        said = site.inside(name, *command)
    except Failed as refusal:
        return str(refusal)
    raise AssertionError(f"{name}: {' '.join(command)} said {said!r}")


def _key(site: Installation) -> str:
    mode = site.inside("web", "stat", "--format", "%a %u", "/keys/site-key").strip()
    assert mode == "600 10001", mode
    return "its owner is the user that reads it, and nobody else can"


def _broker(site: Installation) -> str:
    said = site.inside("redis", "sh", "-c", "REDISCLI_AUTH= redis-cli ping 2>&1 || true")
    assert "NOAUTH" in said, said
    listed = site.inside("redis", "sh", "-c", "cat /proc/[0-9]*/cmdline")
    secret = site.inside("redis", "printenv", "REDISCLI_AUTH").strip()
    assert secret not in listed, "a password in the list of processes"
    return "asks for a password that no list of processes shows"


def _forgotten(site: Installation) -> str:
    """The index that packages came from."""
    image = site.containers()["web"]["Image"]
    history = site.docker.run("history", "--no-trunc", "--format", "{{.CreatedBy}}", image)
    assert "127.0.0.1" not in history
    return "the image does not know where its packages came from"


def _certificate(site: Installation) -> str:
    answer = spoken_to(site.inside("proxy", "cat", ROOT_CERTIFICATE))
    assert answer.startswith("HTTP/1.1 200"), answer
    return "the proxy's own authority vouches for it"


def _redirected() -> str:
    with closing(http.client.HTTPConnection("127.0.0.1", 80, timeout=30)) as line:
        line.request("GET", "/accounts/login/", headers={"Host": HOST})
        answer = line.getresponse()
    assert (answer.status, answer.headers["Location"]) == (308, f"https://{HOST}/accounts/login/")
    return "leads to TLS"


def _compiled(site: Installation) -> str:
    """Nothing was, while somebody worked: everything was there already."""
    assert site.inside("worker", "python", "-c", COMPILED).strip() == "0"
    assert site.inside("worker", "python", "-c", WARM).strip() == "False", "nothing is left to compile"
    return "nothing since the image was made"


def _backed_up(site: Installation) -> str:
    """As `docs/operations.md` says: into folders of the host, which their owner alone may open."""
    copies, keys = site.folder / "copies", site.folder / "copied-keys"
    for folder in (copies, keys):
        folder.mkdir(mode=0o700)
        os.chown(folder, int(USERS["web"]), -1)
    bound = ("-v", f"{copies}:/copies", "-v", f"{keys}:/copied")
    command = ("run", "--rm", "-T", *bound, "web", "backup", "/copies", "/copied")
    said = site.docker.composed(*command, folder=site.folder, seconds=300).strip()
    [database] = copies.glob("*/database")
    listed = site.docker.composed(
        "run", "--rm", "-T", *bound, "--entrypoint", "pg_restore", "web", "--list",
        f"/copies/{database.parent.name}/database", folder=site.folder, seconds=300,
    )  # fmt: skip
    assert "TABLE DATA public stewardapp_auditevent" in listed
    return said


def _client(site: Installation) -> str:
    """The address of a client is not the proxy's: somebody believes what the proxy says."""
    log = site.docker.composed("logs", "--no-color", "web", folder=site.folder)
    addresses = set(re.findall(r'"ip": "([^"]+)"', log)) - {"127.0.0.1"}
    assert addresses, "somebody was there"
    assert "172.28.94.2" not in addresses
    return "told by the proxy"
