"""What is asked of the engine beside what was measured. A floor that is missed fails nothing."""
import dataclasses
import math

MET, MISSED, UNKNOWN = "met", "missed", "not judged"


@dataclasses.dataclass
class Floor:
    name: str
    value: float | None  # None: not measured
    limit: float | None  # None: no floor on this host
    at_most: bool = False
    unit: str = "x"
    note: str = ""  # whose figure it is, or why it is not judged
    busy: bool = False  # the machine was too busy while it was measured
    judged: bool = True  # False: the figure is shown and says nothing about the floor

    def verdict(self):
        if self.value is None or self.limit is None or not self.judged or math.isnan(self.value):
            return UNKNOWN
        holds = self.value <= self.limit if self.at_most else self.value >= self.limit
        return MET if holds else MISSED

    def as_json(self):
        return {"name": self.name, "value": self.value, "limit": self.limit,
                "at_most": self.at_most, "unit": self.unit, "verdict": self.verdict(),
                "holds": self.verdict() != MISSED, "busy": self.busy, "note": self.note}


def number(value):
    if value is None or math.isnan(value):
        return "-"
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def lines(floors):
    """The table as text, and how many of each verdict."""
    if not floors:
        return ["no floor was measured"]
    width = max(len(floor.name) for floor in floors)
    text = [f"{'floor':<{width}} {'asked':>14} {'measured':>12}  verdict"]
    for floor in floors:
        asked = "-" if floor.limit is None else (
            f"{'at most' if floor.at_most else 'at least'} {number(floor.limit)}")
        measured = f"{number(floor.value)} {floor.unit}"
        verdict = floor.verdict() + (" (busy)" if floor.busy else "")
        text.append(f"{floor.name:<{width}} {asked:>14} {measured:>12}  {verdict:<17} {floor.note}"
                    .rstrip())
    counts = {kind: sum(floor.verdict() == kind for floor in floors)
              for kind in (MET, MISSED, UNKNOWN)}
    text.append(", ".join(f"{count} {kind}" for kind, count in counts.items() if count))
    if any(floor.busy for floor in floors):
        text.append("(busy): the machine was too busy to judge by; measure again on a quiet one.")
    return text
