"""A trained model in the formats of other programs: a file for each format, and the parts that formats share."""
