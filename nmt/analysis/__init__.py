"""Shows attention maps: pictures, and tables for a terminal."""
