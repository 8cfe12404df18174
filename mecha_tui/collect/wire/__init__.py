"""Replies of llama-server turned into core values: parsing only, one module per endpoint."""
