"""A whole OpenStack Swift in one process, which speaks S3: `/usr/bin/python3 tests/swift_server.py FOLDER`.

It is Debian's, for Debian's Python; it prints its port when it answers and ends with whoever started it.
"""

import ctypes
import os
import signal
import sys
from pathlib import Path

import eventlet

eventlet.monkey_patch()

from eventlet import wsgi  # noqa: E402
from swift.common import utils  # noqa: E402
from swift.common.ring import RingBuilder  # noqa: E402
from swift.common.storage_policy import reload_storage_policies  # noqa: E402
from swift.common.wsgi import loadapp  # noqa: E402

SERVERS = ("account", "container", "object")
END_WITH_PARENT = 1
COMMON = "[swift-hash]\nswift_hash_path_prefix = a\nswift_hash_path_suffix = b\n"
POLICY = "[storage-policy:0]\nname = only\ndefault = yes\n"
SERVER = """
[DEFAULT]
swift_dir = {folder}
devices = {folder}/devices
mount_check = false
fallocate_reserve = 0
[pipeline:main]
pipeline = {name}-server
[app:{name}-server]
use = egg:swift#{name}
"""
PROXY = """
[DEFAULT]
swift_dir = {folder}
[pipeline:main]
pipeline = catch_errors cache listing_formats s3api tempauth bulk slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
s3_acl = no
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:bulk]
use = egg:swift#bulk
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
"""


def main(folder: Path) -> None:
    """Serve until killed."""
    ctypes.CDLL(None).prctl(END_WITH_PARENT, signal.SIGKILL)
    (folder / "devices" / "disk").mkdir(parents=True)
    (folder / "swift.conf").write_text(COMMON + POLICY)
    utils.SWIFT_CONF_FILE = str(folder / "swift.conf")
    reload_storage_policies()
    for name in SERVERS:
        listening = eventlet.listen(("127.0.0.1", 0))
        ring(folder / f"{name}.ring.gz", listening.getsockname()[1])
        eventlet.spawn_n(serve, listening, configured(folder, name, SERVER))
    proxy = configured(folder, "proxy", PROXY)
    listening = eventlet.listen(("127.0.0.1", 0))
    print(listening.getsockname()[1], flush=True)
    serve(listening, proxy)


def ring(path: Path, port: int) -> None:
    """Everything is on the one disk of this machine, once."""
    builder = RingBuilder(part_power=0, replicas=1, min_part_hours=0)
    place = {"id": 0, "region": 1, "zone": 1, "weight": 1.0}
    builder.add_dev({**place, "ip": "127.0.0.1", "port": port, "device": "disk"})
    builder.rebalance(seed=1)
    builder.get_ring().save(str(path))


def configured(folder: Path, name: str, text: str) -> object:
    """One of the servers, as an application."""
    path = folder / f"{name}.conf"
    path.write_text(text.format(folder=folder, name=name))
    return loadapp(str(path), global_conf={})


def serve(listening: object, application: object) -> None:
    """Answer, and write nothing down."""
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123 - before anything is patched
        wsgi.server(listening, application, log=nowhere, log_output=False)


main(Path(sys.argv[1]))
