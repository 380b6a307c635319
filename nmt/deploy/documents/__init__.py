"""Documents: which parts of a page, a subtitle file and the like are translated, and how the rest is kept."""
