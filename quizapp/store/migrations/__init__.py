"""Alembic migrations, run from the package: there is no alembic.ini.

To change the tables add `versions/NNNN_what.py` with the next number; the newest number is the version that
this program understands. A backup is made before each upgrade.
"""
