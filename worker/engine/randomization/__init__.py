"""Known random changes between categories: PRAM, randomized response, and what is left to estimate."""
