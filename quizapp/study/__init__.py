"""The use cases, one transaction each: the only room that brings bank, memory, exam and store together."""
