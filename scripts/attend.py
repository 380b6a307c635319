"""Run nmt.lab.cli.attend from a checkout, from any folder."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from nmt.lab.cli.attend import main

if __name__ == "__main__":
    main()
