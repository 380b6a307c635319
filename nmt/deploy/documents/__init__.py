"""Documents: which parts of a text, an HTML page or a PO file are translated, and how the rest is kept."""
