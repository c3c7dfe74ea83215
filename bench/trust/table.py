"""The table of a campaign: a row for each family."""
from collections import defaultdict

COLUMNS = ["cases", "claimed", "false", "undecidable", "solvable", "missed", "crashes", "seconds", "judge"]


class Table:
    def __init__(self):
        self.rows = defaultdict(lambda: dict.fromkeys(COLUMNS, 0))
        self.notable = []  # outcomes to be told: false, undecidable, crashed, missed

    def add(self, outcome):
        for row in (self.rows[outcome["family"]], self.rows["all"]):
            claimed = outcome["kind"] in ("right", "false", "undecidable")
            row["cases"] += 1
            row["claimed"] += claimed
            row["false"] += outcome["kind"] == "false"
            row["undecidable"] += outcome["kind"] == "undecidable"
            row["crashes"] += outcome["kind"] in ("crash", "hang", "error") or bool(outcome["printed"])
            row["solvable"] += outcome["solvable"]
            row["missed"] += outcome["solvable"] and not claimed
            row["seconds"] += outcome["seconds"]
            row["judge"] += outcome["judge_seconds"]
        if outcome["kind"] not in ("right", "refused") or outcome["printed"] or (outcome["solvable"] and outcome["kind"] == "refused"):
            self.notable.append(outcome)

    @property
    def total(self):
        return self.rows["all"]

    def text(self):
        lines = [f"{'family':16s} {'cases':>6s} {'claimed':>7s} {'false':>6s} {'undecid.':>8s} {'missed of solvable':>18s} {'crashes':>7s} {'s/case':>7s} {'judge':>6s}"]
        for name in sorted(self.rows, key=lambda n: (n == "all", n)):
            row = self.rows[name]
            missed = f"{row['missed']} of {row['solvable']}" if row["solvable"] else "-"
            lines.append(f"{name:16s} {row['cases']:6d} {row['claimed']:7d} {row['false']:6d} {row['undecidable']:8d} {missed:>18s} {row['crashes']:7d} "
                         f"{row['seconds'] / row['cases']:7.3f} {row['judge'] / row['cases']:6.3f}")
        return "\n".join(lines)

    def told(self, kinds):
        """Lines about notable cases of these kinds, by family."""
        lines = []
        for o in sorted(self.notable, key=lambda o: o["name"]):
            kind = "prints" if o["printed"] and o["kind"] in ("right", "refused") else "missed" if o["kind"] == "refused" else o["kind"]
            if kind in kinds:
                lines.append(f"{kind:11s} {o['name']}: {o['why'] or o['printed'].strip()}\n            {o['words']} -> {o['status']} by {o['method']}")
        return "\n".join(lines)
