"""Train a translation model from a checkout: see `python train.py --help`."""

from nmt.cli.train import main

if __name__ == "__main__":
    main()
