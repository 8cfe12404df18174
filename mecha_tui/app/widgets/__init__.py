"""One thing seen on a screen per module."""
