"""Measures the dashboard from outside, as `scripts/bench` and `scripts/soak` do."""
