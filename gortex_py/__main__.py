"""Run the command line as ``python -m gortex_py``."""

from gortex_py.surfaces.cli import main

if __name__ == "__main__":
    main()
