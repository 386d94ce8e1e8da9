"""One file per builder: settings and values in, rows `value, level 1, …, *` out."""
