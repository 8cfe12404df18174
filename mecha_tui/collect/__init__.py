"""Everything that opens, waits or asks the time, so that the rest need not."""
