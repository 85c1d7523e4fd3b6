#!/usr/bin/env python3
"""usage: on_postgres.py SUITE_test.py: that suite, with servers whose rows lie on PostgreSQL, a database each.

Ends with status 77, skipped, where there is no PostgreSQL.
"""
import os
import subprocess
import sys

import parts


def main():
    if not parts.postgres_programs():
        print("SKIPPED: needs postgresql-15")
        return 77
    postgres = parts.Postgres()
    try:
        postgres.make()
        url = postgres.url.rpartition("/")[0]
        return subprocess.run([sys.executable, sys.argv[1]], check=False,
                              env=os.environ | {"FERRY_TEST_POSTGRES": f"{postgres.programs} {url}"}).returncode
    finally:
        postgres.remove()


if __name__ == "__main__":
    sys.exit(main())
