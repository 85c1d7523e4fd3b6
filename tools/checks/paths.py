"""Files and folders that comments name are there.

A word of a comment is taken for a path when it ends like a source file (repr.cc), or has a slash and begins with a
folder that can be seen from the file (exec/heap): from its own folder or one above, up to the root. A bare name may
lie anywhere in the file's room, and what a file of no room names may be the end of any path. Words with a placeholder
(<name>, *, {}, $, FILE.py, x.h) and files that a build makes are passed over.
"""
import ast
import io
import pathlib
import re
import tokenize
import warnings

from checks import cpp
from checks.tree import SOURCE_SUFFIXES, room_of

WORD = re.compile(r"(?<![\w./<>{}$*:\\~-])[\w.+-]+(?:/[\w.+-]+)*/?(?![\w/<>{}$*]|\.\w)")
NAMED_SUFFIXES = (".cc", ".h", ".hpp", ".inc", ".cmake")  # of names without a folder
SUFFIXES = NAMED_SUFFIXES + (".py", ".md", ".txt", ".json", ".sh")
GENERATED = re.compile(r"\.gen\.inc$|\.pb\.(h|cc)$|^build/")
# Files of others, by whose name their documents are cited, and of the system.
FOREIGN = {"ferry.h", "ferry.hpp", "docs/gguf.md", "arch/arm64/include/uapi/asm/hwcap.h", "http/1.1"}


def comments_of(name, text):
    """(line, text) of the comments of a file."""
    suffix = pathlib.Path(name).suffix
    if suffix in SOURCE_SUFFIXES:
        yield from cpp.comments(text)
    elif suffix == ".py":
        try:
            for token in tokenize.generate_tokens(io.StringIO(text).readline):
                if token.type == tokenize.COMMENT:
                    yield token.start[0], token.string
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                documentation = ast.get_docstring(ast.parse(text), clean=False)
        except (SyntaxError, tokenize.TokenError):
            return
        if documentation:
            yield 1, documentation
    elif suffix == ".cmake" or pathlib.Path(name).name in ("CMakeLists.txt", "dev"):
        for number, line in enumerate(text.splitlines(), 1):
            match = re.match(r"\s*(#.*)$", line)
            if match:
                yield number, match.group(1)


class Known:
    """What there is: files, folders, and the names of files by room."""

    def __init__(self, files, layers):
        self.paths, self.names, self.tails, self.layers = set(files), set(), set(), layers
        for name in files:
            path = pathlib.PurePosixPath(name)
            self.paths.update(str(parent) for parent in path.parents)
            self.names.add((room_of(name, layers), path.name))
            self.tails.update("/".join(path.parts[i:]) for i in range(len(path.parts)))

    def bases(self, name):
        return [str(parent) for parent in pathlib.PurePosixPath(name).parents]

    def seen(self, word, name):
        """Whether the word is a file or folder as seen from the file."""
        return any((word if base == "." else f"{base}/{word}") in self.paths for base in self.bases(name))

    def missing(self, word, name):
        """Whether the word is meant as a path and leads nowhere."""
        if GENERATED.search(word) or word in FOREIGN or re.match(r"([A-Z]+|\w)\.\w+$|\.", word):
            return False
        room = room_of(name, self.layers)
        if room is None and word in self.tails:
            return False
        if "/" not in word:
            return word.endswith(NAMED_SUFFIXES) and not self.seen(word, name) and \
                (room, word) not in self.names
        if self.seen(word, name):
            return False
        # A folder, or a file without its ending.
        return word.endswith(NAMED_SUFFIXES) or self.seen(word.split("/")[0], name)


def check_paths(root, files, layers):
    known = Known(files, layers)
    for name in files:
        path = pathlib.PurePosixPath(name)
        if path.suffix not in SOURCE_SUFFIXES | {".py", ".cmake"} and path.name not in ("CMakeLists.txt", "dev"):
            continue
        if path.suffix == ".py" and "cases" in path.parts:
            continue  # programs that are data of a test
        for line, text in comments_of(name, (root / name).read_text(errors="replace")):
            for number, part in enumerate(text.split("\n")):
                for word in WORD.findall(part):
                    word = word.rstrip("./+-")
                    if word and known.missing(word, name):
                        yield f"{name}:{line + number}: '{word}' is not there"
