"""From a queued row to a worker that holds it: the broker, the claim, the timer, and what is taken over."""
