// The difference of two texts by lines, and of two graphs by nodes. Pure.
import type {GraphNode, ModelGraph} from './model';

export interface Line { kind: 'same' | 'gone' | 'new' | 'gap'; text: string; before?: number; after?: number }
export type Step = 'same' | 'gone' | 'new';

const MOST_STEPS = 1500;  // differences between two lists; beyond, all is taken as replaced

// Myers' algorithm (An O(ND) difference algorithm, 1986): the fewest steps from `a` to `b`.
export function steps(a: readonly string[], b: readonly string[]): Step[] {
  let head = 0, tail = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const same = (count: number): Step[] => new Array<Step>(count).fill('same');
  return [...same(head), ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)), ...same(tail)];
}

function middle(a: readonly string[], b: readonly string[]): Step[] {
  const most = Math.min(a.length + b.length, MOST_STEPS);
  const reach = new Map<number, number>([[1, 0]]);
  const trace: Map<number, number>[] = [];
  for (let d = 0; d <= most; d += 1) {
    trace.push(new Map(reach));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && (reach.get(k - 1) ?? 0) < (reach.get(k + 1) ?? 0));
      let x = down ? reach.get(k + 1) ?? 0 : (reach.get(k - 1) ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      reach.set(k, x);
      if (x >= a.length && x - k >= b.length) return walkBack(trace, a.length, b.length);
    }
  }
  return [...new Array<Step>(a.length).fill('gone'), ...new Array<Step>(b.length).fill('new')];
}

function walkBack(trace: Map<number, number>[], x: number, y: number): Step[] {
  const out: Step[] = [];
  for (let d = trace.length - 1; d >= 0; d -= 1) {
    const reach = trace[d] as Map<number, number>;
    const k = x - y;
    const down = k === -d || (k !== d && (reach.get(k - 1) ?? 0) < (reach.get(k + 1) ?? 0));
    const from = down ? k + 1 : k - 1;
    const beforeX = d === 0 ? 0 : reach.get(from) ?? 0, beforeY = d === 0 ? 0 : beforeX - from;
    while (x > beforeX && y > beforeY) { out.push('same'); x -= 1; y -= 1; }
    if (d === 0) break;
    out.push(down ? 'new' : 'gone');
    x = beforeX;
    y = beforeY;
  }
  return out.reverse();
}

const AROUND = 3;  // unchanged lines shown beside changed ones

export function lineDifference(before: string, after: string): Line[] {
  const split = (text: string): string[] => text === '' ? [] : text.replace(/\n$/, '').split('\n');
  const [a, b] = [split(before), split(after)];
  const all: Line[] = [];
  let x = 0, y = 0;
  for (const kind of steps(a, b)) {
    if (kind === 'gone') all.push({kind, text: a[x] ?? '', before: ++x});
    else if (kind === 'new') all.push({kind, text: b[y] ?? '', after: ++y});
    else all.push({kind, text: a[x] ?? '', before: ++x, after: ++y});
  }
  const near = new Set<number>();
  all.forEach((line, at) => { if (line.kind !== 'same') for (let i = at - AROUND; i <= at + AROUND; i += 1) near.add(i); });
  const out: Line[] = [];
  all.forEach((line, at) => {
    if (near.has(at)) out.push(line);
    else if (out.at(-1)?.kind !== 'gap') out.push({kind: 'gap', text: ''});
  });
  return out.every((line) => line.kind === 'gap') ? [] : out;
}

export interface NodeChange { before?: number; after?: number; what: string[] }  // numbers of nodes

const inWords = (node: GraphNode): string => `${node.op} ${Object.entries(node.attributes).map(([key, value]) => `${key}=${value}`).join(' ')}`;

function whatChanged(old: ModelGraph, now: ModelGraph, a: GraphNode, b: GraphNode): string[] {
  const what: string[] = [];
  const shape = (graph: ModelGraph, value: number | undefined): string => JSON.stringify(graph.values[value ?? -1]?.shape ?? null);
  if (a.op !== b.op) what.push(`operator ${a.op}, now ${b.op}`);
  for (const key of [...new Set([...Object.keys(a.attributes), ...Object.keys(b.attributes)])].sort())
    if (a.attributes[key] !== b.attributes[key]) what.push(`${key} ${a.attributes[key] ?? 'not there'}, now ${b.attributes[key] ?? 'not there'}`);
  if (a.inputs.length !== b.inputs.length) what.push(`${a.inputs.length} inputs, now ${b.inputs.length}`);
  if (shape(old, a.outputs[0]) !== shape(now, b.outputs[0])) what.push(`output ${shape(old, a.outputs[0])}, now ${shape(now, b.outputs[0])}`);
  if (a.weight_bytes !== b.weight_bytes) what.push(`weights ${a.weight_bytes} B, now ${b.weight_bytes} B`);
  return what;
}

// Nodes are the same by a name that only one has on either side; the rest by their operators in order.
export function graphDifference(old: ModelGraph, now: ModelGraph): NodeChange[] {
  const unique = (graph: ModelGraph): Map<string, number> => {
    const seen = new Map<string, number>();
    graph.nodes.forEach((node, at) => seen.set(node.name, seen.has(node.name) ? -1 : at));
    return new Map([...seen].filter(([name, at]) => name !== '' && at >= 0));
  };
  const [a, b] = [unique(old), unique(now)];
  const pairs = new Map<number, number>();
  for (const [name, at] of a) { const other = b.get(name); if (other !== undefined) pairs.set(at, other); }
  const paired = new Set(pairs.values());
  const restOld = old.nodes.map((_node, at) => at).filter((at) => !pairs.has(at));
  const restNow = now.nodes.map((_node, at) => at).filter((at) => !paired.has(at));
  let x = 0, y = 0;
  const changes: NodeChange[] = [];
  for (const kind of steps(restOld.map((at) => inWords(old.nodes[at] as GraphNode)), restNow.map((at) => inWords(now.nodes[at] as GraphNode)))) {
    if (kind === 'gone') changes.push({before: restOld[x++] as number, what: []});
    else if (kind === 'new') changes.push({after: restNow[y++] as number, what: []});
    else pairs.set(restOld[x++] as number, restNow[y++] as number);
  }
  for (const [before, after] of pairs) {
    const what = whatChanged(old, now, old.nodes[before] as GraphNode, now.nodes[after] as GraphNode);
    if (what.length) changes.push({before, after, what});
  }
  const place = (change: NodeChange): number => change.after ?? change.before ?? 0;
  return changes.sort((one, two) => place(one) - place(two));
}
