"""Where a request came from: only our own proxies are believed, and only as far as they can know."""

from __future__ import annotations

import ipaddress
import re
from pathlib import Path
from typing import Any

import pytest

from stewardapp import env
from stewardapp.entrance.origin import CLAIMS, Proxies, environ_of

ROOT = Path(__file__).resolve().parents[3]
PROXIES = Proxies((ipaddress.ip_network("10.0.0.0/8"), ipaddress.ip_network("fd00::/8")))
STRANGER, OURS, SECOND = "203.0.113.9", "10.0.0.1", "10.2.0.1"


def scope(peer: str, *headers: tuple[str, str], **more: Any) -> Any:
    given = [(name.lower().encode(), text.encode()) for name, text in headers]
    return {
        "method": "GET", "raw_path": b"/caf%C3%A9", "query_string": b"a=1", "http_version": "1.1",
        "server": ("127.0.0.1", 8000), "client": (peer, 4711), "scheme": "http", "headers": given, **more,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("peer", "claimed", "client"),
    [
        (STRANGER, [], STRANGER),
        (STRANGER, ["198.51.100.1"], STRANGER),
        (OURS, [], OURS),
        (OURS, ["198.51.100.1"], "198.51.100.1"),
        (OURS, ["1.1.1.1, 198.51.100.1"], "198.51.100.1"),
        (OURS, ["1.1.1.1", "198.51.100.1, 10.2.0.1"], "198.51.100.1"),
        (OURS, ["1.1.1.1, 198.51.100.1:443"], "198.51.100.1"),
        (OURS, ["[2001:db8::7]:443"], "2001:db8::7"),
        ("fd00::1", ["2001:db8::7"], "2001:db8::7"),
        ("::ffff:10.0.0.1", ["::ffff:198.51.100.1"], "198.51.100.1"),
        (OURS, ["198.51.100.1, nonsense"], OURS),
        (OURS, ["10.9.9.9, 10.2.0.1"], "10.9.9.9"),
        ("", ["198.51.100.1"], ""),
    ],
)
def test_the_last_address_that_a_proxy_of_ours_vouches_for(
    peer: str, claimed: list[str], client: str
) -> None:
    assert PROXIES.client(peer, claimed) == client


def test_django_sees_one_address_and_no_claim() -> None:
    claims = [(name.decode(), "198.51.100.66") for name in CLAIMS]
    claims += [("X-Forwarded-For", "198.51.100.1"), ("X_Forwarded_For", "198.51.100.2"), ("Cookie", "a=1")]
    for peer, seen in ((STRANGER, STRANGER), (OURS, "198.51.100.1")):
        environ = environ_of(scope(peer, *claims, ("Cookie", "b=2")), PROXIES)
        assert environ["REMOTE_ADDR"] == seen
        assert {key for key in environ if key.startswith("HTTP_")} == {"HTTP_COOKIE"}
        assert environ["HTTP_COOKIE"] == "a=1; b=2"
        assert environ["PATH_INFO"].encode("latin-1").decode() == "/café"


@pytest.mark.parametrize(
    ("peer", "said", "scheme"),
    [
        (STRANGER, "https", "http"),
        (OURS, "https", "https"),
        (OURS, "https, http", "http"),
        (OURS, "", "http"),
    ],
)
def test_the_scheme_is_believed_of_our_proxies_only(peer: str, said: str, scheme: str) -> None:
    assert environ_of(scope(peer, ("X-Forwarded-Proto", said)), PROXIES)["wsgi.url_scheme"] == scheme


@pytest.mark.parametrize("word", ["0.0.0.0/0", "::/0", "anybody", "10.0.0.1/8"])
def test_a_setting_that_would_trust_anybody_or_says_nothing_is_refused(
    word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEWARD_TRUSTED_PROXIES", f"127.0.0.1,{word}")
    with pytest.raises(env.BadSetting, match="STEWARD_TRUSTED_PROXIES"):
        env.networks("STEWARD_TRUSTED_PROXIES")


def names_read(source: str) -> set[str]:
    """Every header or key of a request that a piece of code names."""
    texts = re.findall(r"""["']([\w-]+)["']""", source)
    return {text.upper().replace("-", "_").removeprefix("HTTP_") for text in texts}


FORGEABLE = {"X_FORWARDED_FOR", "X_FORWARDED_PROTO", "X_REAL_IP", "FORWARDED"}
READERS = {"stewardapp/entrance/origin.py"}


def test_nobody_else_reads_what_somebody_could_claim() -> None:
    """REMOTE_ADDR is what all others read: surveys, throttling, logs."""
    sources = [*(ROOT / "stewardapp").rglob("*.py"), *(ROOT / "worker").rglob("*.py")]
    found = {
        path.relative_to(ROOT).as_posix()
        for path in sources
        if names_read(path.read_text(encoding="utf-8")) & FORGEABLE
    }
    assert found == READERS
    assert names_read("x = request.headers.get('X-Forwarded-For')") & FORGEABLE


def test_no_library_reads_it_either(settings: Any) -> None:
    """What they would read is off: the one address is REMOTE_ADDR."""
    assert settings.DJANGO_STRUCTLOG_IP_LOGGING_ENABLED is False
    assert not getattr(settings, "SECURE_PROXY_SSL_HEADER", None)
    assert not settings.USE_X_FORWARDED_HOST
    assert not getattr(settings, "ALLAUTH_TRUSTED_PROXY_COUNT", 0)
    assert not getattr(settings, "ALLAUTH_TRUSTED_CLIENT_IP_HEADER", None)
