"""Turns the command line into checked settings, and settings into the objects that they describe."""
