"""Makes the pictures of the documentation from a recorded run."""
