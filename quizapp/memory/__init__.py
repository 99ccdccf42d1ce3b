"""WHEN it is asked: study day, FSRS, queue, rating. Pure."""
