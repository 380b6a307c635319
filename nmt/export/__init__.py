"""A trained model in the formats of other programs: one file for each format, and what they share."""
