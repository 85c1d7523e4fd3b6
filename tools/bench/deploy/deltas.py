"""Deltas of fine-tuned networks beside those of bsdiff, xdelta3 and zstd --patch-from, on the same files."""
import json
import os
import pathlib
import subprocess
import tempfile

SHARED = pathlib.Path(__file__).resolve().parents[3] / "../shared"
FINETUNE = pathlib.Path(__file__).with_name("finetune.py")
# Each writes the delta from {old} to {new} into {out}, at the best that the program can do.
PEERS = {
    "bsdiff": ["bsdiff", "{old}", "{new}", "{out}"],
    "xdelta3": ["xdelta3", "-f", "-9", "-S", "lzma", "-e", "-s", "{old}", "{new}", "{out}"],
    "zstd": ["zstd", "-q", "-f", "--ultra", "-22", "--long=27", "--patch-from={old}", "{new}", "-o", "{out}"],
}
FLOOR, AIM = 1.0, 0.9
FLOOR_MEMORY = 64 << 20


def row_of(options, folder, tuned):
    model, dtype, rate = tuned.name.removesuffix(".tuned").split("-", 2)
    base = folder / f"{model}-{dtype}.base"
    row = {"model": model, "dtype": dtype, "lr": rate, "full": tuned.stat().st_size}
    told, ours = {}, folder / "delta.ours"
    for command in (["make", base, tuned, ours], ["apply", base, ours, tuned]):
        done = subprocess.run([options.bin / "ferry-deltas", *command], check=True, capture_output=True, text=True)
        told |= json.loads(done.stdout)
    row["ours"] = told["bytes"]
    for name, command in PEERS.items():
        out = folder / f"delta.{name}"
        subprocess.run([word.format(old=base, new=tuned, out=out) for word in command], check=True, capture_output=True)
        row[name] = out.stat().st_size
        out.unlink()
    row["ratio"] = round(row["ours"] / min(row[name] for name in PEERS), 3)
    return row | {each: told[each] for each in ("make_s", "apply_s", "apply_bytes")}


def measure(options, say):
    with tempfile.TemporaryDirectory(prefix="ferry-deltas-") as name:
        folder = pathlib.Path(name)
        # Debian's python3-numpy belongs to Debian's Python.
        subprocess.run(["/usr/bin/python3", FINETUNE, SHARED, folder], check=True,
                       env=os.environ | {"OPENBLAS_NUM_THREADS": "2"})
        say(f"  {'network':<12} {'type':<5} {'lr':<5} {'full':>9} {'ours':>9} {'bsdiff':>9} {'xdelta3':>9} {'zstd':>9} {'ratio':>6} "
            f"{'make s':>7} {'apply s':>8} {'MiB':>5}")
        rows = []
        for tuned in sorted(folder.glob("*.tuned")):
            row = row_of(options, folder, tuned)
            rows.append(row)
            say(f"  {row['model']:<12} {row['dtype']:<5} {row['lr']:<5} {row['full']:>9} {row['ours']:>9} {row['bsdiff']:>9} "
                f"{row['xdelta3']:>9} {row['zstd']:>9} {row['ratio']:>6} {row['make_s']:>7.1f} {row['apply_s']:>8.2f} "
                f"{row['apply_bytes'] / (1 << 20):>5.1f}")
    worst = max(row["ratio"] for row in rows)
    memory = max(row["apply_bytes"] for row in rows)
    return {"rows": rows, "floors": [
        {"what": "bytes of a delta over those of the smallest of bsdiff, xdelta3 and zstd, at worst", "value": worst, "floor": FLOOR,
         "aim": AIM, "ok": worst <= FLOOR},
        {"what": "bytes of memory to apply one, beside the base", "value": memory, "floor": FLOOR_MEMORY, "aim": FLOOR_MEMORY,
         "ok": memory <= FLOOR_MEMORY}]}
