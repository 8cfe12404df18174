"""Everything that changes something outside mecha-tui, apart from all that only watches."""
