"""Text before it becomes pieces: protected parts, glossaries, particles, sentences, scripts and languages."""
