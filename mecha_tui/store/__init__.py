"""What mecha-tui remembers from one run to the next, in a file of its own."""
