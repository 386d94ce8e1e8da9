"""Tables and their columns, what is counted and added up over them, and the words for columns."""
