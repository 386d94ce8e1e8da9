"""Pages that are told when what they show has changed: any number of open lines, one thread.

sitting.py  whether whoever opened a line may still have it
stream.py   one line, and what it was told last
watcher.py  the thread that asks the database for all of them
"""
