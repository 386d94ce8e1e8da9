"""What the environment says, refused in words that name the variable."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import ip_network
from pathlib import Path

import pytest

from stewardapp import env

NAME = "STEWARD_ODD"


@pytest.mark.parametrize(
    ("read", "said", "found"),
    [
        (lambda: env.text(NAME, "x"), None, "x"),
        (lambda: env.text(NAME, "x"), "  ", "x"),
        (lambda: env.text(NAME), " a ", "a"),
        (lambda: env.flag(NAME), "Yes", True),
        (lambda: env.flag(NAME, True), "off", False),
        (lambda: env.flag(NAME, True), "", True),
        (lambda: env.number(NAME, 2), "0.5", 0.5),
        (lambda: env.integer(NAME, 2), "1e3", 1000),
        (lambda: env.words(NAME), " a, ,b ", ["a", "b"]),
        (
            lambda: env.networks(NAME),
            "127.0.0.1, 10.0.0.0/8",
            [ip_network("127.0.0.1"), ip_network("10.0.0.0/8")],
        ),
        (lambda: env.address(NAME, ""), "", ""),
        (lambda: env.address(NAME, ""), "https://a.example.org/x", "https://a.example.org/x"),
        (lambda: env.folder(NAME, Path("/a/../b")), "", Path("/b")),
    ],
)
def test_what_is_read(
    monkeypatch: pytest.MonkeyPatch, read: Callable[[], object], said: str | None, found: object
) -> None:
    monkeypatch.delenv(NAME, raising=False) if said is None else monkeypatch.setenv(NAME, said)
    assert read() == found


@pytest.mark.parametrize(
    ("read", "said"),
    [
        (lambda: env.flag(NAME), "perhaps"),
        (lambda: env.number(NAME, 1), "much"),
        (lambda: env.number(NAME, 1), "0"),
        (lambda: env.number(NAME, 1), "inf"),
        (lambda: env.number(NAME, 1), "nan"),
        (lambda: env.integer(NAME, 1), "1.5"),
        (lambda: env.networks(NAME), "proxy"),
        (lambda: env.networks(NAME), "0.0.0.0/0"),
        (lambda: env.networks(NAME), "::/0"),
        (lambda: env.bucket(NAME, ""), "desk/prefix"),
        (lambda: env.bucket(NAME, ""), "s3:///prefix"),
        (lambda: env.address(NAME, ""), "ftp://a"),
        (lambda: env.address(NAME, ""), "https://"),
        (lambda: env.address(NAME, ""), "https://a:99999"),
    ],
)
def test_what_cannot_be_used(monkeypatch: pytest.MonkeyPatch, read: Callable[[], object], said: str) -> None:
    monkeypatch.setenv(NAME, said)
    with pytest.raises(env.BadSetting, match=NAME):
        read()


def test_a_bucket_has_a_prefix_or_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert env.bucket(NAME, "") is None
    for said, meant in {"s3://desk": ("desk", ""), "s3://desk/a/b/": ("desk", "a/b/")}.items():
        monkeypatch.setenv(NAME, said)
        assert env.bucket(NAME, "") == meant


def test_what_is_handed_down_gives_way_to_what_was_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, "/said")
    env.hand_down(NAME, Path("/ours"))
    assert env.text(NAME) == "/said"
    assert env.inherited({"MORE": "1"})["MORE"] == "1"
    assert env.inherited({})[NAME] == "/said"
