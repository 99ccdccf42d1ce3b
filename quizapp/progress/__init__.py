"""What the log says: retention, mastery, calibration, readiness. Pure."""
