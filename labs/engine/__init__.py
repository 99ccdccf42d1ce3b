"""The batching engine: sequential, static, dynamic and continuous batching on one scheduler core.

`run(config, requests)` is the whole public door; see `labs.engine.api`.
"""
