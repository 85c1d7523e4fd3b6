"""ferry stream run against brute force: random rules over random events, whole and in parts, must give its matches.

FERRY_STREAM_CASES: how many rules (200)."""
import json
import os
import random
import unittest

import brute
from fixture import Folder

CASES = int(os.environ.get("FERRY_STREAM_CASES", "200"))
RULES_AT_ONCE = 20


class RulesTest(unittest.TestCase):
    def expect(self, rules, events):
        """In the order of what happened: by the event at which they leave, then by rule."""
        found = []
        for number, rule in enumerate(rules):
            for place, (line, out) in enumerate(brute.match(rule, events)):
                ends = any(step.get("not") for step in rule["steps"][-1:])
                found.append(((line, not ends, number, place), out))
        return [out for _, out in sorted(found, key=lambda one: one[0])]

    def test_random_rules_match_brute_force(self):
        matches = 0
        for seed in range((CASES + RULES_AT_ONCE - 1) // RULES_AT_ONCE):
            rng = random.Random(seed)
            rules = [brute.random_rule(rng, f"r{k}") for k in range(RULES_AT_ONCE)]
            events = brute.random_events(rng, rng.randint(8, 14))
            with self.subTest(seed), Folder() as folder:
                folder.write("rules", {"rules": [brute.bare(rule) for rule in rules]})
                cut = rng.randint(0, len(events))
                folder.events("first", events[:cut])
                folder.events("events", events)
                if rng.random() < 0.5:
                    folder.stream(events="first")
                folder.stream()
                got = folder.lines()
                for rule in rules:
                    mine = [line for line in got if line["rule"] == rule["name"]]
                    wanted = [line for _, line in brute.match(rule, events)]
                    self.assertEqual(self.ordered(mine), self.ordered(wanted), json.dumps(brute.bare(rule)))
                matches += len(got)
        self.assertGreater(matches, CASES // 4)

    @staticmethod
    def ordered(lines):
        """Matches of different keys that leave at one event, as `not` rules do, have no order."""
        return sorted(json.dumps(line, sort_keys=True) for line in lines)

    def test_matches_leave_in_order(self):
        for seed in range(5):
            rng = random.Random(1000 + seed)
            rules = [brute.random_rule(rng, f"r{k}") for k in range(8)]
            rules = [rule for rule in rules if not rule["steps"][-1].get("not")]
            events = brute.random_events(rng, 12)
            with self.subTest(seed), Folder() as folder:
                folder.write("rules", {"rules": [brute.bare(rule) for rule in rules]})
                folder.events("events", events)
                folder.stream()
                self.assertEqual(folder.lines(), self.expect(rules, events))


if __name__ == "__main__":
    unittest.main()
