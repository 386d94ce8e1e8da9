"""Attacks on answers to statistical questions, replayed on invented people to show what a budget prevents."""
