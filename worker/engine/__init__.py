"""The algorithms: no web framework, no queue, no global state, no knowledge of where files live."""
