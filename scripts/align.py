"""Run nmt.lab.cli.align from a checkout, from any folder."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from nmt.lab.cli.align import main

if __name__ == "__main__":
    main()
