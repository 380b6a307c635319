"""Changes of training pairs, so that a model learns texts as people write them; see docs/text.md."""
