"""Run nmt.lab.cli.inspect_data from a checkout, from any folder."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from nmt.lab.cli.inspect_data import main

if __name__ == "__main__":
    main()
