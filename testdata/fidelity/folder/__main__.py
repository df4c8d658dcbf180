"""A folder run as a script."""

import sys

print(__name__, __package__, __spec__.name if __spec__ else None, sys.argv, sys.path[0])
