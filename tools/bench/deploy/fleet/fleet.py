"""What a fleet of a million devices must reach: each part measures, prints its figures beside their floors, and fails below one."""
import argparse
import json
import pathlib
import sys

import answers
import lines
import reports
import simulated
import stages

PARTS = {"simulated": simulated.measure, "lines": lines.measure, "reports": reports.measure, "stages": stages.measure, "answers": answers.measure}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], help="all, unless named")
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/release/bin"), help="where the programs are")
    parser.add_argument("--devices", type=int, default=1_000_000, help="that are simulated, rows of stages and of answers")
    parser.add_argument("--lines", type=int, default=10_000, help="idle connections, as far as the file limit allows")
    parser.add_argument("--rounds", type=int, default=3, help="interleaved ones, whose medians are told")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    # A part gives {"rows": [...], "floors": [{"what", "value", "floor", "aim", "ok"}]} and prints its rows with `say`.
    say = (lambda line: None) if options.json else (lambda line: print(line, flush=True))
    results = {}
    for name in options.parts or PARTS:
        say(f"{name}:")
        results[name] = PARTS[name](options, say)
    floors = [floor for part in results.values() for floor in part["floors"]]
    for floor in floors:
        say(f"{'ok    ' if floor['ok'] else 'FAILED'} {floor['what']}: {floor['value']} (floor {floor['floor']}, aim {floor['aim']})")
    if options.json:
        print(json.dumps(results))
    return 0 if all(floor["ok"] for floor in floors) else 1


if __name__ == "__main__":
    sys.exit(main())
