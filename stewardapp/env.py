"""Typed readings of environment variables. Nothing else in the product reads the environment."""

import ipaddress
import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit


class BadSetting(RuntimeError):
    """An environment variable that cannot be used; the message says how to mend it."""


def text(name: str, default: str = "") -> str:
    """Return the variable, or the default when it is unset or empty."""
    return os.environ.get(name, "").strip() or default


def flag(name: str, default: bool = False) -> bool:
    """Return a yes/no variable; anything but 1/true/yes/on and 0/false/no/off is refused."""
    value = text(name).lower()
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"0", "false", "no", "off"}:
        return False
    if value:
        raise BadSetting(f"{name} must be 1 or 0.")
    return default


def number(name: str, default: float) -> float:
    """Return a positive number."""
    value = text(name)
    if not value:
        return default
    try:
        result = float(value)
    except ValueError:
        raise BadSetting(f"{name} must be a number.") from None
    if not 0 < result < float("inf"):
        raise BadSetting(f"{name} must be greater than 0.")
    return result


def integer(name: str, default: int) -> int:
    """Return a positive whole number."""
    result = number(name, default)
    if result != int(result):
        raise BadSetting(f"{name} must be a whole number.")
    return int(result)


def words(name: str, default: str = "") -> list[str]:
    """Return a comma-separated list without empty entries."""
    return [word.strip() for word in text(name, default).split(",") if word.strip()]


def networks(name: str) -> list[ipaddress.IPv4Network | ipaddress.IPv6Network]:
    """Return a list of addresses and networks; the whole world is refused: it would mean anybody."""
    try:
        found = [ipaddress.ip_network(word) for word in words(name)]
    except ValueError:
        raise BadSetting(f"{name} must be addresses or networks, as in 127.0.0.1,10.0.0.0/8.") from None
    if any(network.prefixlen == 0 for network in found):
        raise BadSetting(f"{name} must not hold every address: anybody could claim to be anybody.")
    return found


def address(name: str, default: str) -> str:
    """Return an http or https address, or nothing; anything else is refused."""
    value = text(name, default)
    try:
        parts = urlsplit(value)
        fits = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is none
        fits = False
    if value and not fits:
        raise BadSetting(f"{name} must be an address such as https://notary.example.org/anchors.")
    return value


def bucket(name: str, default: str) -> tuple[str, str] | None:
    """Return a bucket and the prefix in it that everything there begins with, or nothing."""
    value = text(name, default)
    if not value:
        return None
    parts = urlsplit(value)
    if parts.scheme != "s3" or not parts.hostname or parts.query or parts.fragment:
        raise BadSetting(f"{name} must be a bucket, as in s3://bucket or s3://bucket/prefix.")
    prefix = parts.path.strip("/")
    return parts.netloc, f"{prefix}/" if prefix else ""


def folder(name: str, default: Path) -> Path:
    """Return a directory as an absolute path; it need not exist yet."""
    return Path(text(name, str(default))).expanduser().resolve()


def hand_down(name: str, value: Path) -> None:
    """Tell it to every process that this one starts, unless somebody else did."""
    os.environ.setdefault(name, str(value))


def inherited(more: Mapping[str, str]) -> dict[str, str]:
    """What a program that we start finds in its environment: ours, and more."""
    return {**os.environ, **more}
