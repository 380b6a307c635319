"""Run nmt.lab.cli.compare from a checkout, from any folder."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from nmt.lab.cli.compare import main

if __name__ == "__main__":
    main()
