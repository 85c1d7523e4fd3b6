"""clang-tidy over the tree."""
import subprocess


def check_clang_tidy(root, files):
    database = root / "build/release"
    sources = [n for n in files if n.endswith(".cc")]
    out = subprocess.run(["clang-tidy", "-p", str(database), "--quiet"] + sources, cwd=root, capture_output=True,
                         text=True).stdout
    for line in out.splitlines():
        if " warning: " in line or " error: " in line:
            yield line.replace(str(root) + "/", "")
