"""A message belongs to one taker, and queues are fed as they were bound."""

from collections.abc import Iterator
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from kombu import Connection
from kombu.transport import resolve_transport

from worker.queue import spool


@pytest.fixture
def channel(tmp_path: Path) -> Iterator[Any]:
    spool.register()
    with Connection("spool://", transport_options=spool.options(str(tmp_path))) as connection:
        yield connection.default_channel


def test_a_message_that_somebody_else_took_is_passed_over(channel: Any) -> None:
    for number in (1, 2, 3):
        channel._put("jobs", {"number": number})
    assert channel._get("jobs") == {"number": 1}
    second, _ = sorted(Path(channel.data_folder_in).glob("*.jobs.msg"))
    assert spool.take(second.parent, second.name) is not None
    assert channel._get("jobs") == {"number": 3}
    with pytest.raises(Empty):
        channel._get("jobs")


def test_an_exchange_feeds_a_queue_until_it_is_gone(channel: Any) -> None:
    assert channel.get_table("exchange") == []
    for _ in range(2):
        channel._queue_bind("exchange", "key", "", "jobs")
    assert channel.get_table("exchange") == [spool.Row("key", "", "jobs")]
    channel._delete("jobs", "exchange", "key", "")
    assert channel.get_table("exchange") == []


def test_kombu_learns_the_word_and_keeps_what_it_knew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(spool.TRANSPORT_ALIASES, "spool", raising=False)
    spool.register()
    assert resolve_transport("spool") is spool.Transport
