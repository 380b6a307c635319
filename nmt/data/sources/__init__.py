"""Where sentence pairs come from, one file a source."""
