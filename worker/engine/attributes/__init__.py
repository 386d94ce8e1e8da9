"""What a release tells of a person's attributes to somebody who knows other columns of the person."""
