"""What a process that ends with its one job need not do."""

import atexit
import gc


def short_lived() -> None:
    """Look for unreachable objects less often, and never at the end: the memory goes with the process."""
    gc.set_threshold(5_000)
    atexit.register(gc.freeze)
