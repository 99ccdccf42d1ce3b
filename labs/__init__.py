"""The batching engine and the guided labs. Knows nothing of the quiz or of Textual."""
