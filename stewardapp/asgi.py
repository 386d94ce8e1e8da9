"""The ASGI entry point: Django's pages behind the entrance that takes slow clients without a thread each."""

from stewardapp.wsgi import application as pages

# Models exist only now.
# isort: split
from stewardapp.entrance.bridge import Entrance

application = Entrance(pages)
