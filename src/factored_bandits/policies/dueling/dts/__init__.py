"""Double Thompson sampling: D-TS and D-TS+."""
