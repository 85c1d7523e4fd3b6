#!/usr/bin/env python3
"""Checks the tree; one file of tools/checks for each thing that is checked.

usage: tools/tidy.py [--root DIR] [--no-format] [--clang-tidy [--jobs N]]
Prints one line per finding, "file:line: what", and exits with 1 when there is any.
"""
import argparse
import pathlib
import sys

from checks import tree
from checks.clang_tidy import check_clang_tidy
from checks.copies import check_copies
from checks.formatting import check_format
from checks.headings import check_headings
from checks.layers import check_layers
from checks.lists import check_lists
from checks.paths import check_paths
from checks.readmes import check_readmes
from checks.sizes import check_sizes
from checks.vm_numbers import check_vm_numbers


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default=pathlib.Path(__file__).resolve().parent.parent, type=pathlib.Path)
    parser.add_argument("--no-format", action="store_true", help="leave clang-format out")
    parser.add_argument("--clang-tidy", action="store_true", help="also run clang-tidy on what has changed")
    parser.add_argument("--jobs", type=int, help="processes of clang-tidy; one a core unless told")
    options = parser.parse_args()
    root = options.root.resolve()
    files = tree.tracked_files(root)
    layers, stars = tree.read_layers(root)
    checks = [check_layers(root, files, layers, stars), check_lists(root, files), check_sizes(root, files),
              check_readmes(root, files, layers), check_paths(root, files, layers), check_headings(root, files),
              check_copies(root, files), check_vm_numbers(root, files)]
    if not options.no_format:
        checks.append(check_format(root, files))
    if options.clang_tidy:
        checks.append(check_clang_tidy(root, options.jobs, say=lambda text: print(text, file=sys.stderr)))
    count = 0
    for check in checks:
        for finding in check:
            print(finding)
            count += 1
    print(f"tidy: {len(files)} files, {count} findings")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
