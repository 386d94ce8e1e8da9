"""`python -m benchmarks`: measure everything and print one table. A broken bound fails nothing."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks.recorded import record, slower
from benchmarks.suite import PEERS, SUITE, Setting
from benchmarks.table import print_table
from worker.engine.wording import thousands

QUICK_ROWS, FULL_ROWS = 1_000_000, 10_000_000


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, judge."""
    args = _parser().parse_args(arguments)
    rows = args.rows or (FULL_ROWS if args.full else QUICK_ROWS)
    results = []
    with tempfile.TemporaryDirectory(prefix="bench-", dir=args.folder) as folder:
        setting = Setting(Path(folder), rows, args.repeat, args.data, args.arx)
        for name, measure in (PEERS if args.peers else SUITE).items():
            if args.only and name not in args.only:
                continue
            print(f"measuring {name} …", file=sys.stderr)
            results.extend(measure(setting))
    print_table(results, None if args.peers else rows)
    if args.check:
        print("\n".join(slower(results, rows)) or "Nothing got slower than recorded.")
    if args.record:
        record(results, rows)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help=f"{thousands(QUICK_ROWS)} rows (the default)")
    size.add_argument("--full", action="store_true", help=f"{thousands(FULL_ROWS)} rows")
    size.add_argument("--rows", type=int, help="another number of rows")
    parser.add_argument("--only", nargs="+", choices=[*SUITE, *PEERS], help="only these measurements")
    parser.add_argument("--peers", action="store_true", help="beside other tools, which are installed for it")
    parser.add_argument("--data", type=Path, help="a folder with adult.csv and its hierarchies, else made up")
    parser.add_argument("--arx", type=Path, metavar="JAR", help="the jar of ARX, to make the census runs too")
    parser.add_argument("--repeat", type=int, default=1, help="times each side is run; the best counts")
    parser.add_argument("--record", action="store_true", help="keep the ratios, to compare later runs with")
    parser.add_argument("--check", action="store_true", help="say what got slower than recorded")
    parser.add_argument("--folder", type=Path, help="where the temporary files go")
    return parser


if __name__ == "__main__":
    sys.exit(main())
