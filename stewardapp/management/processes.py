"""How web and worker are started: the same command lines on one machine and on a site."""

import sys


def web(bind: str, threads: int = 8) -> list[str]:
    """Return gunicorn's command line: one process keeps memory small, threads keep uploads from blocking."""
    return [
        sys.executable, "-m", "gunicorn", "stewardapp.wsgi:application",
        "--bind", bind, "--workers", "1", "--threads", str(threads), "--worker-class", "gthread",
        "--timeout", "120", "--graceful-timeout", "10", "--log-level", "warning",
    ]  # fmt: skip


def worker(concurrency: int = 1) -> list[str]:
    """Return Celery's command line, without gossip and heartbeats: the database is the truth."""
    return [
        sys.executable, "-m", "celery", "--app", "worker.app", "worker",
        "--pool", "prefork", "--concurrency", str(concurrency),
        "--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "WARNING",
    ]  # fmt: skip
