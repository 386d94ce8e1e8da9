"""How the desk is, in words: each part with what it is for and what to do when it is not well."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from stewardapp.domain.vitals import Health, Sign


class Told(NamedTuple):
    """One part as the page shows it."""

    title: str
    health: Health
    figure: str
    at: datetime | None
    words: str
    remedy: str


class Words(NamedTuple):
    """What a part is called, what it is for, and what helps."""

    title: str
    purpose: str
    remedy: str


WORDS = {
    "database": Words(
        "Database", "Everything the desk knows.", "Start it again; look into its log and at its disk."
    ),
    "storage": Words(
        "Stored files",
        "A file can be written into the data folder.",
        "Make room on the disk, and look whether the folder still belongs to the desk.",
    ),
    "keys": Words(
        "Keys",
        "The site key opens the keys of stored bytes.",
        "Put the site key back where STEWARD_KEY_FILE says, from your copy of the keys.",
    ),
    "worker": Words(
        "Workers",
        "Runs, readings and questions are done by workers; each says every fifteen seconds that it lives.",
        "Start a worker: `manage.py work`, or the container of that name. Pages go on, jobs wait.",
    ),
    "queue": Words(
        "Waiting jobs",
        "How long the oldest job has been waiting.",
        "Start more workers, or cancel runs that take too long. A job that waits is lost in no case.",
    ),
    "anchor": Words(
        "Anchors",
        "Once a day a worker signs the end of the audit log.",
        "Look whether a worker runs, and into its log; then keep the new anchor elsewhere.",
    ),
    "disk": Words(
        "Disk", "What is free of the disk of the data folder.", "Make room, or give it a larger one."
    ),
    "backup": Words(
        "Backup",
        "When the last whole copy was made.",
        "Make one: `manage.py backup FOLDER KEYS`. Have it made every night, and restore one now and then.",
    ),
    "dead-letters": Words(
        "Damaged messages",
        "Messages to workers that could not be read and were put aside. Their jobs were sent again.",
        "Check the disk: files do not change by themselves. Then remove what lies in spool/dead.",
    ),
    "damaged": Words(
        "Damaged publications",
        "Published files whose bytes are no longer those that were approved. Nobody is given them.",
        "Put the files back from a backup; each is well again with its next download. Check the disk.",
    ),
}


def told(sign: Sign) -> Told:
    """A part in words; what to do only where something is to be done."""
    words = WORDS[sign.part]
    remedy = "" if sign.health == Health.OK else words.remedy
    return Told(words.title, sign.health, sign.figure, sign.at, words.purpose, remedy)
