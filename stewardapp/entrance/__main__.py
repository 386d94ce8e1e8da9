"""`python -m stewardapp.entrance --bind 127.0.0.1:8000 --threads 8`."""

import argparse

from stewardapp.wsgi import application

# Models exist only now.
# isort: split
from stewardapp.entrance.bridge import Entrance
from stewardapp.entrance.server import serve

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Serve the web application.")
    parser.add_argument("--bind", default="127.0.0.1:8000")
    parser.add_argument("--threads", type=int, default=8)
    asked = parser.parse_args()
    serve(Entrance(application, asked.threads), asked.bind)
