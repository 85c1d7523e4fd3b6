#!/usr/bin/env python3
"""Runs each scenario of tests/sim/scenarios on its small fleet: no invariant breaks, and it comes as the file says.
Runs the seeds of seeds.txt, which once broke one."""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import unittest

BIN = pathlib.Path(os.environ.get("FERRY_BIN", "build/unity/bin"))
FOLDER = pathlib.Path(__file__).resolve().parent / "scenarios"
AT_ONCE = max(1, (os.cpu_count() or 2) // 2)
TIMEOUT_S = 240


def simulate(path, *more):
    return run("--scenario", str(path), "--seed", "1", *more)


def run(*arguments):
    command = [str(BIN / "ferry"), "simulate", "--json", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S)
    return done.returncode, done.stdout, done.stderr


class Scenarios(unittest.TestCase):
    def test_every_scenario_comes_as_it_says(self):
        paths = sorted(FOLDER.glob("*/*.json"))
        self.assertGreaterEqual(len(paths), 20)
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for path, (code, out, err) in zip(paths, pool.map(simulate, paths)):
                with self.subTest(path.stem):
                    self.assertIn(code, (0, 1), err)
                    outcome = json.loads(out)
                    self.assertEqual(outcome["invariants"]["violations"], [])
                    self.assertEqual(outcome["unmet"], [])
                    self.assertEqual(code, 0)

    def test_seeds_that_once_found_something_hold(self):
        lines = (FOLDER.parent / "seeds.txt").read_text(encoding="utf-8").splitlines()
        seeds = [line.split()[0] for line in lines if line and not line.startswith("#")]
        self.assertGreaterEqual(len(seeds), 3)
        for seed in seeds:
            with self.subTest(seed):
                code, out, err = run("--devices", "500", "--agents", "10", "--faults", "harsh", "--seed", seed)
                self.assertEqual(code, 0, out[-2000:] + err[-500:])


if __name__ == "__main__":
    sys.exit(unittest.main())
