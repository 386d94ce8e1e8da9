"""Information loss: how much a row of a release still says of what it was."""
