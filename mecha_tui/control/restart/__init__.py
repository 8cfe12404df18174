"""Restarts a server by whatever owns its process, and watches it come back."""
