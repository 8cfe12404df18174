"""Where memory stands, asked of drivers and kernel: a value, or why there is none."""
