"""The programs, as a checkout and an installation run them.

A program is a module here with `main`, a YAML file of the same name in configs/ with its settings and the words of its
--help, and an entry in pyproject.toml. A file of three lines in scripts/ starts it from a checkout.
"""
