"""One full screen per module."""
