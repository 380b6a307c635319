"""The programs of the command line, for a checkout and for an installation.

A program is a module here with `main`, and an entry in pyproject.toml. A YAML file of the same name in configs/ holds
its settings and their --help texts. A short file in scripts/ starts it from a checkout.
"""
