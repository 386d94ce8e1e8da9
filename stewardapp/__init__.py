"""The release desk: a Django project and its one app."""
