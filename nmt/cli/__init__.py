"""The programs, as a checkout and an installation run them."""
