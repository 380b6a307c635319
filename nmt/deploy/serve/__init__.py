"""A translation server: one thread that owns the models, the HTTP interface of LibreTranslate, and a page."""
