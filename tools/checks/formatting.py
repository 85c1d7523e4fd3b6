"""C++ as clang-format writes it."""
import pathlib
import shutil
import subprocess


def check_format(root, files):
    tool = shutil.which("clang-format")
    if tool is None:
        yield "clang-format is not installed (tools/dev setup lint)"
        return
    sources = [n for n in files if pathlib.Path(n).suffix in {".cc", ".h", ".hpp", ".c"}]
    out = subprocess.run([tool, "--dry-run"] + sources, cwd=root, capture_output=True, text=True).stderr
    for name in sorted({line.split(":")[0] for line in out.splitlines() if "warning:" in line}):
        yield f"{name}: not formatted (tools/dev fmt)"
