// Blocks that stand several times after each other in a sequence of signatures.
export interface Run { start: number; period: number; count: number }

const LEAST_PERIOD = 2, LEAST_NODES = 3, MOST_PERIOD = 400;
const MOST_NODES_TWICE = 16;  // of what stands there twice only: halves of a model are nothing that people think of

// For each place the run that covers most from there on: matches[i] of a period counts how far the sequence equals itself
// shifted by the period.
function bestRuns(signatures: string[], sizes: number[]): Run[] {
  const n = signatures.length;
  const before = [0];
  for (const size of sizes) before.push((before.at(-1) ?? 0) + size);
  const ids = new Map<string, number>();
  const letters = Int32Array.from(signatures, (text) => { if (!ids.has(text)) ids.set(text, ids.size); return ids.get(text) ?? 0; });
  const best: Run[] = signatures.map((_text, start) => ({start, period: 1, count: 1}));
  for (let period = LEAST_PERIOD; period <= Math.min(MOST_PERIOD, n >> 1); period += 1) {
    let matches = 0;
    for (let start = n - period - 1; start >= 0; start -= 1) {
      matches = letters[start] === letters[start + period] ? matches + 1 : 0;
      const count = Math.floor(matches / period) + 1;
      if (count === 2 && (before[start + period] ?? 0) - (before[start] ?? 0) > MOST_NODES_TWICE) continue;
      const old = best[start] as Run;
      if (count >= 2 && count * period > old.count * old.period) best[start] = {start, period, count};
    }
  }
  return best;
}

// Runs from left to right that do not overlap. `cuts[i]`: how many tensors live across place i; a block is begun where few do, at
// the cost of one block at most. `sizes`: how many nodes each item is.
export function findRuns(signatures: string[], cuts: number[], sizes: number[] = signatures.map(() => 1)): Run[] {
  const best = bestRuns(signatures, sizes);
  const runs: Run[] = [];
  const covered = (at: number): number => { const run = best[at]; return run && run.count > 1 ? run.count * run.period : 0; };
  for (let at = 0; at < signatures.length;) {
    const run = best[at] as Run;
    let later = false;
    for (let next = at + 1; next < at + run.period && !later; next += 1) later = covered(next) > covered(at);
    const uniform = new Set(signatures.slice(at, at + run.period)).size < 2;
    const nodes = sizes.slice(at, at + run.period).reduce((sum, size) => sum + size, 0);
    if (run.count < 2 || later || uniform || nodes < LEAST_NODES) { at += 1; continue; }
    const turned = turn(run, best, cuts);
    runs.push(turned);
    at = turned.start + turned.count * turned.period;
  }
  return runs;
}

function turn(run: Run, best: Run[], cuts: number[]): Run {
  const end = run.start + run.count * run.period;
  const weight = (start: number): number => {
    let sum = 0;
    for (let at = start; at <= end; at += run.period) sum = Math.max(sum, cuts[at] ?? 0);
    return sum;
  };
  let chosen = run;
  for (let start = run.start + 1; start < run.start + run.period; start += 1) {
    const other = best[start] as Run;
    const count = other.period === run.period ? other.count : Math.floor((end - start) / run.period);
    if (count < Math.max(2, run.count - 1)) continue;
    if (weight(start) < weight(chosen.start)) chosen = {start, period: run.period, count};
  }
  return chosen;
}
