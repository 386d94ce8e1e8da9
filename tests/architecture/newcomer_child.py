"""The engine's process of an installation that holds the newcomers' files; their folder is the argument."""

import sys
from pathlib import Path

from tests.architecture.newcomers import adopt
from worker.process import child

if __name__ == "__main__":
    adopt(Path(sys.argv[1]))
    child.main()
