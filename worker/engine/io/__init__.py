"""Files in, files out: text first, strict, in bounded memory.

Import the modules directly (`dialect`, `ingest`, `source`, `writers`): this one stays empty, so that a web
page that asks for a dialect does not load the readers.
"""
