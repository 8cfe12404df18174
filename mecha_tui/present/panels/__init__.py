"""One function for each panel of the dashboard: a picture in, lines out."""
