"""Where requests come in: slow clients cost a socket each, and never a thread.

server.py     uvicorn, with the deadlines it lacks
bridge.py     from one connection to Django's threads and back
arriving.py   the body of a request, counted and timed as it arrives
admission.py  how much a person may send to an address
origin.py     where a request came from, and what Django is told about it
"""
