"""Exam preparation for LLM inference serving: questions, labs and progress in the terminal."""

__version__ = "0.1.0"
