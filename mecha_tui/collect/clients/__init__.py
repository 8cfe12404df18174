"""What clients were promised: read from their own settings, or told by hand."""
