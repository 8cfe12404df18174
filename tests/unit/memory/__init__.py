"""Memory: what drivers and kernels say, replayed."""
