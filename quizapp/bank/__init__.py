"""WHAT is asked: schema, loading, variants, responses, grading, lint. Pure apart from reading the bank's files."""
