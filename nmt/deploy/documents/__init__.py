"""Documents: what of them is translated, and how the translations become a document again. One file for each format."""
