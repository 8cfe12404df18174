"""Values turned into words, numbers and glyphs: pure, and without Textual."""
