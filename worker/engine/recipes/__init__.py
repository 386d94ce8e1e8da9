"""Recipes: the document, what it declares, what comes of it – the report and the codebook."""
