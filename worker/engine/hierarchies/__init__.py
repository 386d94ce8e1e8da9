"""How the values of a column generalize: read, built by rule, proposed, imported and edited."""
