#!/usr/bin/env python3
"""The table of ferry.h's functions (functions.json) beside what the header and each language have.

usage: sdk/functions.py [--list]

Checks that the table has each function of ferry.h with its arguments as declared, that each argument says who owns it,
and that every language has a counterpart or a reason (<language>/counterparts.json) that its own declarations hold.
Prints one line a finding and ends with status 1 when there is any. --list prints the header's functions.
"""
import json
import pathlib
import re
import sys

SDK = pathlib.Path(__file__).resolve().parent
HEADER = SDK.parent / "device-runtime/api/ferry.h"
COMPONENTS = ("engine", "runtime")
THREADS = ("any", "one")  # from any thread at once, or one at a time (others are refused or wait)
OWNERS = ("value", "borrowed", "until", "filled", "caller frees", "caller closes", "taken")
# Where each language declares what its counterparts name.
DECLARATIONS = {"cpp": ["../device-runtime/api/*.hpp"], "python": ["python/ferry/*.pyi"],
                "node": ["node/index.d.ts"], "java": ["java/src/main/java/**/*.java"]}


def declared_functions(text):
    """{name: (type that is returned, [(type, name), ..])} of a C header's text."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    found = {}
    for result, name, arguments in re.findall(r"FERRY_API\s+([\w\s*]+?)\s*\b(ferry_\w+)\((.*?)\);", text, flags=re.S):
        found[name] = (" ".join(result.split()), [split_argument(one) for one in split_arguments(arguments)])
    return found


def split_arguments(text):
    """The arguments of a declaration; a function pointer has commas of its own."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    parts = [" ".join(one.split()) for one in parts + [text[start:]]]
    return [one for one in parts if one not in ("", "void")]


def split_argument(text):
    pointer = re.match(r"(.*)\(\*(\w+)\)(\(.*\))$", text)
    if pointer:
        return f"{pointer[1]}(*){pointer[3]}".replace(" (", "("), pointer[2]
    kind, name = re.match(r"(.*?)\s*(\w+)$", text).groups()
    return kind, name


def check_table(table, functions):
    for name in sorted(functions.keys() - table.keys()):
        yield f"functions.json: no row for {name}"
    for name in sorted(table.keys() - functions.keys()):
        yield f"functions.json: ferry.h has no {name}"
    for name in sorted(functions.keys() & table.keys()):
        row, (result, arguments) = table[name], functions[name]
        if row["returns"] != result:
            yield f"functions.json: {name} returns {result}, not {row['returns']}"
        given = [(one["type"], one["name"]) for one in row["arguments"]]
        if given != arguments:
            yield f"functions.json: {name} takes {arguments}, not {given}"
        if row["component"] not in COMPONENTS or row["threads"] not in THREADS:
            yield f"functions.json: {name}: component {row['component']}, threads {row['threads']}"
        for one in row["arguments"]:
            if not one["owner"].startswith(OWNERS):
                yield f"functions.json: {name}: {one['name']} belongs to '{one['owner']}'"


def check_language(language, patterns, functions):
    path = SDK / language / "counterparts.json"
    if not path.is_file():
        yield f"{language}: no counterparts.json"
        return
    counterparts = json.loads(path.read_text())
    files = [file for pattern in patterns for file in (SDK.glob(pattern) if "*" in pattern else [SDK / pattern])]
    text = "\n".join(file.read_text() for file in files)
    for name in sorted(functions.keys() - counterparts.keys()):
        yield f"{language}: nothing said of {name}"
    for name in sorted(counterparts.keys() - functions.keys()):
        yield f"{language}: ferry.h has no {name}"
    for name, one in sorted(counterparts.items()):
        if isinstance(one, dict):
            if len(one.get("none", "")) < 10:
                yield f"{language}: {name}: no counterpart and no reason"
            continue
        for word in re.findall(r"\w+", one):
            if not re.search(rf"\b{word}\b", text):
                yield f"{language}: {name}: its declarations have no '{word}' ({one})"


def main():
    functions = declared_functions(HEADER.read_text())
    if "--list" in sys.argv:
        for name, (result, arguments) in functions.items():
            print(result, name, arguments)
        return 0
    table = {row["name"]: row for row in json.loads((SDK / "functions.json").read_text())}
    findings = list(check_table(table, functions))
    for language, patterns in DECLARATIONS.items():
        if (SDK / language).is_dir():
            findings += check_language(language, patterns, functions)
    for one in findings:
        print(one)
    print(f"functions: {len(functions)} functions, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
