"""What a method, a goal and a measure are: fields that are parameters, verbs, and what they hand back."""
