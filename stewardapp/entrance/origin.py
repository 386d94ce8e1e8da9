"""Where a request came from, and what Django is told about it.

The address of a client is decided here, once: it becomes REMOTE_ADDR, and every header in which somebody
could claim another address or scheme is dropped. Whatever reads REMOTE_ADDR afterwards reads the same.
"""

from __future__ import annotations

import ipaddress
import sys
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import unquote_to_bytes

from uvicorn._types import HTTPScope

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network
Environ: TypeAlias = dict[str, Any]

FORWARDED_FOR, FORWARDED_PROTO = b"x-forwarded-for", b"x-forwarded-proto"
# Also what other proxies would set: nobody vouches for these.
CLAIMS = frozenset(
    b"forwarded via x-real-ip x-client-ip client-ip true-client-ip x-cluster-client-ip cf-connecting-ip "
    b"cf-connecting-ipv6 fastly-client-ip x-appengine-user-ip x-original-forwarded-for".split()
)


@dataclass(frozen=True, slots=True)
class Proxies:
    """The networks from which proxies speak that may say for whom they ask."""

    trusted: tuple[Network, ...] = ()

    def vouch(self, address: str) -> bool:
        """Whether this is one of our proxies."""
        known = _address(address)
        return known is not None and any(known in network for network in self.trusted)

    def client(self, peer: str, claimed: list[str]) -> str:
        """The last address that one of our proxies vouches for; what stands before it may be invented."""
        said = [entry for line in claimed for entry in line.split(",")]
        here = str(_address(peer) or peer)
        while said and self.vouch(here):
            before = _address(said.pop())
            if before is None:
                break
            here = str(before)
        return here


def _address(text: str) -> Address | None:
    """`1.2.3.4`, `1.2.3.4:5678`, `::1`, `[::1]:5678`; a mapped address is the one it stands for."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def environ_of(scope: HTTPScope, proxies: Proxies) -> Environ:
    """The request in the words of WSGI, without its body."""
    peer = (scope["client"] or ("", 0))[0]
    host, port = scope["server"] or ("", 0)
    return {
        **_headers(scope["headers"]),
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "REMOTE_ADDR": proxies.client(peer, _said(scope, FORWARDED_FOR)),
        "SERVER_NAME": host,
        "SERVER_PORT": str(port),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": _scheme(scope, proxies.vouch(peer)),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }


def _said(scope: HTTPScope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for one, value in scope["headers"] if one == name]


def _scheme(scope: HTTPScope, vouched: bool) -> str:
    said = _said(scope, FORWARDED_PROTO)
    if vouched and said:
        return "https" if said[-1].rpartition(",")[2].strip().lower() == "https" else "http"
    return scope["scheme"]


def _headers(headers: Any) -> Environ:
    """As WSGI names them. A name with an underscore would pass for another one."""
    found: Environ = {}
    for name, value in headers:
        if b"_" in name or name in CLAIMS or name.startswith(b"x-forwarded-"):
            continue
        key = name.decode("latin-1").upper().replace("-", "_")
        key = key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"
        text = value.decode("latin-1")
        between = "; " if key == "HTTP_COOKIE" else ","
        found[key] = f"{found[key]}{between}{text}" if key in found else text
    return found
