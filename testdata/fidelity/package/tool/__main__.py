"""A package run by -m."""

import sys

from tool.inner import answer

print(__name__, __package__, __spec__.name if __spec__ else None, sys.argv[1:], answer())
print(sys.argv[0] == __file__, sys.path[0])
if "fail" in sys.argv:
    answer(0)
