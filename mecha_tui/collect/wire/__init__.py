"""Turns reply bodies into core values: parsing only, one module for each endpoint."""
