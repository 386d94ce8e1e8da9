"""Rows that few or no others equal, in the sample and in the population it was drawn from."""
