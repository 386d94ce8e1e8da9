"""People of a population file whom a released class may be about."""
