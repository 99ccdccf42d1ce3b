"""Mock exams: assemble, sit, score. Pure."""
