"""Run the daemon on a state folder; started by the tests as a process of its own."""

import os
import sys
from pathlib import Path

from gortex_py.settings.load import load
from gortex_py.settings.paths import Paths
from gortex_py.surfaces.http.server import run_foreground


def main() -> int:
    home, port = Path(sys.argv[1]), int(sys.argv[2])
    environ = {"GORTEX_HOME": str(home / "gortex"), "GORTEX_INDEX_WORKERS": os.environ.get("GORTEX_INDEX_WORKERS", "1")}
    paths = Paths.from_environment(environ, home)
    return run_foreground(paths, load(paths, environ).settings, "127.0.0.1", port, home=home)


if __name__ == "__main__":
    sys.exit(main())
