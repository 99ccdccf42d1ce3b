"""WHAT is asked: schema, loading, variants, grading, lint. Pure."""
