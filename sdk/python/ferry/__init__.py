"""What scripts of tasks import from Ferry, for CPython: see tools/python/README.md."""
