"""What each subcommand does, one module each: joins collectors, core and screen."""
