"""The programs that export a model, serve it, and translate documents with it."""
