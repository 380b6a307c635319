"""Shows attention maps: pictures, tables for a terminal, and a page to explore."""
