"""Regression coefficients with their confidence intervals."""
