"""From the command line to plain, checked settings and the objects they describe."""
