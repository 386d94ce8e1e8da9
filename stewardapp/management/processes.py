"""How web and worker are started: the same command lines on one machine and on a site."""

import sys


def web(bind: str, threads: int = 8) -> list[str]:
    """Return the entrance's command line: one process keeps memory small, slow clients hold no thread."""
    return [sys.executable, "-m", "stewardapp.entrance", "--bind", bind, "--threads", str(threads)]


def demo() -> list[str]:
    """Return the command line that loads the demo; the passwords are told elsewhere."""
    return [sys.executable, "-m", "django", "demo", "--verbosity", "0"]


def worker(concurrency: int = 1) -> list[str]:
    """Return Celery's command line, without gossip and heartbeats: the database is the truth."""
    return [
        sys.executable, "-m", "celery", "--app", "worker.queue.app", "worker",
        "--pool", "prefork", "--concurrency", str(concurrency),
        "--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "WARNING",
    ]  # fmt: skip
