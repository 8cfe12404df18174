"""One function for each screen that opens over the dashboard: a picture in, lines out."""
