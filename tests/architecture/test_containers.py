"""The site in containers as its files describe it; `make containers` starts it."""

import ipaddress
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
EXACT = re.compile(r"[a-z]+:\d+(\.\d+)+(-[a-z-]+)?")
THE_DESK = ("prepare", "web", "worker")

every_service = pytest.mark.parametrize("name", SERVICES)


def images() -> list[str]:
    """Whatever is fetched from elsewhere."""
    return re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE) + [
        service["image"] for service in SERVICES.values() if "image" in service
    ]


def test_the_services_are_the_known_ones() -> None:
    assert set(SERVICES) == {"proxy", "postgres", "redis", *THE_DESK}
    assert {name for name, service in SERVICES.items() if "build" in service} == set(THE_DESK)


def test_images_are_named_by_exact_version() -> None:
    assert len(images()) == 6
    assert [one for one in images() if not EXACT.fullmatch(one)] == []


def test_one_python_for_packages_and_product() -> None:
    assert len(set(re.findall(r"^FROM (python:\S+)", DOCKERFILE, re.MULTILINE))) == 1


def test_the_programs_that_copy_the_database_are_of_its_version() -> None:
    assert re.findall(r"^FROM (postgres:\S+)", DOCKERFILE, re.MULTILINE) == [SERVICES["postgres"]["image"]]


# What a container may do


def test_only_the_proxy_publishes_ports() -> None:
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert published == {"proxy": ["80:80", "443:443"]}
    assert not [name for name, service in SERVICES.items() if "network_mode" in service]


@every_service
def test_nothing_can_be_written_or_gained(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "privileged" not in service
    assert service.get("cap_add", []) == (["NET_BIND_SERVICE"] if name == "proxy" else [])


@every_service
def test_logs_do_not_grow_for_ever(name: str) -> None:
    assert SERVICES[name]["logging"] == {"driver": "local"}, "the only one that throws away by itself"


@pytest.mark.parametrize("name", sorted(set(SERVICES) - {"prepare"}))
def test_what_stays_says_how_it_is(name: str) -> None:
    assert SERVICES[name]["restart"] == "unless-stopped"
    assert SERVICES[name]["healthcheck"]["test"]


@every_service
def test_files_of_the_host_are_only_read(name: str) -> None:
    bound = [one for one in SERVICES[name].get("volumes", []) if one.startswith((".", "/"))]
    assert all(one.endswith(":ro") for one in bound)
    assert bound == (["./docs/proxy:/etc/caddy:ro", "./tls:/tls:ro"] if name == "proxy" else [])


# Who may speak to whom


def networks(name: str) -> set[str]:
    return set(SERVICES[name]["networks"])


def test_where_data_lies_is_reached_by_the_desk_alone() -> None:
    assert COMPOSE["networks"]["inside"] == {"internal": True}
    assert {name for name in SERVICES if "inside" in networks(name)} == {*THE_DESK, "postgres", "redis"}
    assert networks("postgres") == networks("redis") == {"inside"}
    assert networks("proxy") == {"outside"}


def test_only_the_proxy_is_believed() -> None:
    [pool] = COMPOSE["networks"]["outside"]["ipam"]["config"]
    proxy = ipaddress.ip_address(SERVICES["proxy"]["networks"]["outside"]["ipv4_address"])
    assert {SERVICES[name]["environment"]["STEWARD_TRUSTED_PROXIES"] for name in THE_DESK} == {str(proxy)}
    assert proxy in ipaddress.ip_network(pool["subnet"])
    assert proxy not in ipaddress.ip_network(pool["ip_range"]), "where everybody else gets an address"


@pytest.mark.parametrize("name", THE_DESK)
def test_the_broker_asks_for_a_password(name: str) -> None:
    said = SERVICES[name]["environment"]
    for variable in ("STEWARD_BROKER_URL", "STEWARD_CACHE_URL"):
        assert said[variable].startswith("redis://:${REDIS_PASSWORD:?")


def test_the_broker_is_told_its_password_where_nobody_reads_along() -> None:
    assert SERVICES["redis"]["environment"]["REDISCLI_AUTH"].startswith("${REDIS_PASSWORD:?")
    command = SERVICES["redis"]["command"]
    assert "requirepass $$REDISCLI_AUTH" in command[-1], "the shell puts it in, not what starts the shell"
    assert "redis-server -" in command[-1]


def test_the_proxy_reads_the_shipped_file_and_is_told_all_it_asks_for() -> None:
    shipped = (ROOT / "docs" / "proxy" / "Caddyfile").read_text(encoding="utf-8")
    assert set(re.findall(r"\{\$(\w+)[:}]", shipped)) == set(SERVICES["proxy"]["environment"])
    assert SERVICES["proxy"]["environment"]["DESK_WEB"] == "web:8000"


# What the image is made of


def test_keys_lie_in_a_volume_that_belongs_to_who_reads_them() -> None:
    """A file of the host that only its owner reads could not be read by the user of the image."""
    for name in THE_DESK:
        assert SERVICES[name]["volumes"] == ["files:/data", "keys:/keys"]
        assert SERVICES[name]["environment"]["STEWARD_KEY_FILE"].startswith("/keys/")
    assert "mkdir -m 0700 /data /keys && chown desk /data /keys" in DOCKERFILE
    assert DOCKERFILE.index("USER desk") < DOCKERFILE.index("VOLUME /data /keys")


def test_only_what_is_copied_is_sent_to_who_builds() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    copied = re.findall(r"^COPY ((?:[\w.-]+ )+)\S+$", DOCKERFILE, re.MULTILINE)
    names = {name for line in copied for name in line.split()}
    assert "*" in lines
    assert {line[1:] for line in lines if line.startswith("!")} == names
    assert all((ROOT / name).exists() for name in names)


def test_loops_are_compiled_when_the_image_is_made() -> None:
    assert DOCKERFILE.index("COPY worker") < DOCKERFILE.index("RUN python -m worker.engine.execution.warming")


def test_no_argument_of_the_build_reaches_the_image() -> None:
    """Addresses of package indexes hold passwords; what a stage is told is in the history of its image."""
    _, packages, *others = DOCKERFILE.split("\nFROM ")
    assert "ARG PIP_INDEX_URL" in packages
    assert [one for one in others if "ARG" in one] == []
