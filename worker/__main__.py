"""The command line: carry out, measure and verify recipes on files, without web or database.

Exit codes: 0 done · 2 the input or the recipe is wrong · 3 the goals cannot be, or are not, satisfied ·
4 ended by a limit · 1 a fault of ours. Errors are one line and never hold a data value.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import traceback
from pathlib import Path

from worker.commands.arguments import parser
from worker.engine.errors import Cancelled, EngineError, LimitExceeded, NoSolution
from worker.engine.reporting import TerminalReporter
from worker.short_lived import leave, short_lived

OURS, WRONG, UNSATISFIED, LIMIT, INTERRUPTED = 1, 2, 3, 4, 130


def main(arguments: list[str] | None = None) -> int:
    """Do one command and return its exit code."""
    args = parser().parse_args(arguments)
    reporter = TerminalReporter()
    try:
        code: int = args.run(args, reporter)
        return code
    except EngineError as error:
        return refuse(_worded(error), _exit_code(error), reporter)
    except Cancelled:
        return refuse("stopped", INTERRUPTED, reporter)
    except KeyboardInterrupt:
        return refuse("stopped", INTERRUPTED, reporter)
    except MemoryError:
        return refuse("Not enough memory. Use fewer columns or rows, or a larger machine.", LIMIT, reporter)
    except OSError as error:
        return refuse(
            _file_trouble(error), LIMIT if error.errno in (errno.ENOSPC, errno.EFBIG) else WRONG, reporter
        )
    except Exception as error:  # noqa: BLE001 - its own words may quote data
        return refuse(_unforeseen(error), OURS, reporter)
    finally:
        reporter.close()


def refuse(message: str, code: int, reporter: TerminalReporter) -> int:
    """One line on stderr."""
    reporter.close()
    sys.stderr.write(" ".join(message.split()) + "\n")
    return code


def _worded(error: EngineError) -> str:
    """What, with its place in the recipe in front."""
    known = not error.param or error.message.startswith(error.param)
    return error.message if known else f"{error.param}: {error.message}"


def _exit_code(error: EngineError) -> int:
    return (
        UNSATISFIED if isinstance(error, NoSolution) else LIMIT if isinstance(error, LimitExceeded) else WRONG
    )


def _file_trouble(error: OSError) -> str:
    return f"{error.filename or 'file'}: {os.strerror(error.errno) if error.errno else 'cannot be used'}."


def _unforeseen(error: Exception) -> str:
    """The type and the place of a fault of ours, without its words."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "unknown place"
    return f"Something went wrong on our side: {type(error).__name__} at {place}."


if __name__ == "__main__":
    short_lived()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: no half file stays behind
    leave(main())  # else Python ends by the signal itself where it came while a class was being made
