"""What runs outside the request. Empty on purpose: importing the engine must not import Celery."""
