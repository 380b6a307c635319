"""`nmt-share` in a checkout: see --help."""

from checkout import start

if __name__ == "__main__":
    start("nmt.deploy.cli.share")
