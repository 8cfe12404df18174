"""Pure values and the arithmetic on them: no clock, no waiting, no files."""
