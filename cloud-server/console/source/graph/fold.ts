// A graph as a tree of groups: repeated blocks are one, and what is still long is cut into parts where few edges cross.
// Groups are intervals of the execution order, so that folding them makes no circle; a group has at most MOST_CHILDREN.
import type {ModelGraph} from './model';
import {findRuns} from './repeats';

export const MOST_SHOWN = 300;
const MOST_CHILDREN = 240, FOLD_FROM = 40, LEAST_BLOCK = 3;
const PARTS = 40, LEAST_PART = 12, MOST_PART = 60;   // what is cut has about so many parts of so many items

export interface Group {
  id: string;
  kind: 'whole' | 'block' | 'run' | 'part';
  first: number; last: number;   // nodes, both within
  children: Item[];
  of: number;                    // how many alike stand after each other; of a block
  at: number;                    // which of them, from 1
}
export type Item = number | Group;

export const isGroup = (item: Item): item is Group => typeof item !== 'number';
const firstOf = (item: Item): number => isGroup(item) ? item.first : item;
const lastOf = (item: Item): number => isGroup(item) ? item.last : item;

// cuts[i]: from how many nodes before i something is read by node i or after.
export function cutsOf(graph: ModelGraph): number[] {
  const lastRead = new Array<number>(graph.nodes.length).fill(-1);
  for (const [from, to] of graph.edges) lastRead[from] = Math.max(lastRead[from] ?? -1, to);
  const steps = new Array<number>(graph.nodes.length + 2).fill(0);
  lastRead.forEach((to, from) => {
    if (to <= from) return;
    steps[from + 1] = (steps[from + 1] ?? 0) + 1;
    steps[to + 1] = (steps[to + 1] ?? 0) - 1;
  });
  let living = 0;
  return steps.map((step) => { living += step; return living; });
}

class Folder {
  constructor(private readonly cuts: number[]) {}

  group(kind: Group['kind'], children: Item[], of = 1, at = 1): Group {
    const first = firstOf(children[0] as Item), last = lastOf(children.at(-1) as Item);
    return {id: `${kind}-${first}-${last}`, kind, first, last, children: this.limited(children), of, at};
  }

  // At most MOST_CHILDREN: what is more goes into parts.
  limited(items: Item[]): Item[] {
    if (items.length <= MOST_CHILDREN) return items;
    const parts: Item[] = [];
    const size = Math.min(MOST_PART, Math.max(LEAST_PART, Math.ceil(items.length / PARTS)));
    for (let start = 0; start < items.length;) {
      let end = Math.min(items.length, start + size);
      if (items.length - end < size / 2) end = items.length;
      if (end < items.length) end = this.quietEnd(items, end, size);
      parts.push(this.group('part', items.slice(start, end)));
      start = end;
    }
    return this.limited(parts);
  }

  private quietEnd(items: Item[], wanted: number, size: number): number {
    let chosen = wanted;
    for (let end = wanted - (size >> 2); end <= wanted; end += 1)
      if ((this.cuts[firstOf(items[end] as Item)] ?? 0) <= (this.cuts[firstOf(items[chosen] as Item)] ?? 0)) chosen = end;
    return chosen;
  }

  // What lies between two places where one tensor alone goes on, and stands there more than once: a residual block, say.
  segments(signatures: string[]): Item[] {
    const ends: [number, number][] = [];
    for (let start = 0, at = 1; at <= signatures.length; at += 1)
      if (at === signatures.length || (this.cuts[at] ?? 0) <= 1) { ends.push([start, at]); start = at; }
    const nameOf = ([start, end]: [number, number]): string => signatures.slice(start, end).join(';');
    const counts = new Map<string, number>(), seen = new Map<string, number>();
    const folds = ([start, end]: [number, number]): boolean => end - start >= LEAST_BLOCK;
    for (const span of ends) if (folds(span)) counts.set(nameOf(span), (counts.get(nameOf(span)) ?? 0) + 1);
    return ends.flatMap((span): Item[] => {
      const nodes = Array.from({length: span[1] - span[0]}, (_none, at) => span[0] + at);
      const of = folds(span) ? counts.get(nameOf(span)) ?? 1 : 1;
      if (of < 2) return nodes;
      const at = (seen.get(nameOf(span)) ?? 0) + 1;
      seen.set(nameOf(span), at);
      return [this.group('block', nodes, of, at)];
    });
  }

  // Blocks that stand after each other become groups; several alike a group of groups where there are too many items.
  blocks(items: Item[], signatures: string[], gather: boolean): Item[] {
    const cuts = items.map((item) => this.cuts[firstOf(item)] ?? 0);
    const names = items.map((item) => signatures.slice(firstOf(item), lastOf(item) + 1).join(';'));
    const out: Item[] = [];
    let done = 0;
    for (const run of findRuns(names, cuts, items.map((item) => lastOf(item) - firstOf(item) + 1))) {
      out.push(...items.slice(done, run.start));
      const blocks = Array.from({length: run.count}, (_none, k) => {
        const start = run.start + k * run.period;
        return this.group('block', items.slice(start, start + run.period), run.count, k + 1);
      });
      if (gather) out.push(this.group('run', blocks, run.count));
      else out.push(...blocks);
      done = run.start + run.count * run.period;
    }
    out.push(...items.slice(done));
    return out;
  }
}

export function foldGraph(graph: ModelGraph): Group {
  const nodes = graph.nodes.map((_node, at) => at);
  const folder = new Folder(cutsOf(graph));
  if (nodes.length === 0) return {id: 'whole', kind: 'whole', first: 0, last: -1, children: [], of: 1, at: 1};
  const signatures = graph.nodes.map((node) => node.op);
  let items: Item[] = nodes;
  if (nodes.length > FOLD_FROM) {
    const segments = folder.segments(signatures);
    items = folder.blocks(segments, signatures, false);
    if (items.length > MOST_CHILDREN) items = folder.blocks(segments, signatures, true);
  }
  return {...folder.group('whole', items), id: 'whole'};
}

// The groups that hold a node, from the whole down.
export function pathTo(whole: Group, node: number): Group[] {
  const path: Group[] = [];
  for (let at: Group | undefined = whole; at;) {
    path.push(at);
    at = at.children.find((item): item is Group => isGroup(item) && item.first <= node && node <= item.last);
  }
  return path;
}
