// What is written on nodes and groups, and how large that makes them. Pure.
import {isGroup, type Group, type Item} from './fold';
import type {Box} from './layout';
import {roundText, shapeText, type ModelGraph} from './model';
import type {Sign} from './picture';
import type {Drawn} from './view';

const MOST_LETTERS = 30, LETTER_PX = 8.2, UNDER_PX = 6.6, LEAST_WIDTH = 92;

const short = (text: string): string => text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS - 1)}…` : text;

export function groupName(graph: ModelGraph, group: Group): string {
  if (group.kind === 'run') return `${group.of} blocks alike`;
  if (group.kind === 'part') return `Nodes ${group.first + 1} to ${group.last + 1}`;
  const ops = [...new Set(graph.nodes.slice(group.first, group.last + 1).map((node) => node.op))];
  return `Block ${group.at} of ${group.of}: ${ops.slice(0, 3).join(', ')}${ops.length > 3 ? ', ..' : ''}`;
}

export interface Sums { nodes: number; macs: number; weight_bytes: number; ops: [string, number][] }
export function sumsOf(graph: ModelGraph, group: Group): Sums {
  const counts = new Map<string, number>();
  const sums = {nodes: group.last - group.first + 1, macs: 0, weight_bytes: 0};
  for (const node of graph.nodes.slice(group.first, group.last + 1)) {
    counts.set(node.op, (counts.get(node.op) ?? 0) + 1);
    sums.macs += node.macs ?? 0;
    sums.weight_bytes += node.weight_bytes;
  }
  return {...sums, ops: [...counts].sort((a, b) => b[1] - a[1])};
}

// What a reader of the screen says begins with what is seen, so that people can call it by that (WCAG 2.5.3).
const spoken = (title: string, under: string, ...more: string[]): string => [`${title} ${under}`.trim(), ...more.filter(Boolean)].join(', ');

function nodeSign(graph: ModelGraph, at: number, parent: string | null): Sign {
  const node = graph.nodes[at];
  const out = graph.values[node?.outputs.find((value) => value >= 0) ?? -1];
  const under = out ? shapeText(out.shape) : '';
  const title = short(node?.op ?? '');
  return {id: `n${at}`, parent, kind: 'node', title, under: short(under), problem: Boolean(node?.problem),
    label: spoken(title, short(under), node?.name ?? '', under ? '' : 'no output')};
}

function groupSign(graph: ModelGraph, group: Group, parent: string | null, open: boolean): Sign {
  const sums = sumsOf(graph, group);
  const name = groupName(graph, group);
  const title = short(open ? name.split(':')[0] ?? name : name), under = `${sums.nodes} nodes${sums.macs ? `, ${roundText(sums.macs)} MACs` : ''}`;
  return {id: group.id, parent, kind: open ? 'frame' : 'group', title, problem: graph.nodes.slice(group.first, group.last + 1).some((node) => node.problem !== undefined),
    under, label: spoken(title, under, name, open ? 'open' : 'folded')};
}

export function signsOf(graph: ModelGraph, drawing: Drawn, open: ReadonlySet<string>): Sign[] {
  const sign = (item: Item, parent: string | null): Sign => isGroup(item) ? groupSign(graph, item, parent, open.has(item.id)) : nodeSign(graph, item, parent);
  const ends = drawing.ends.map(({id, value}): Sign => {
    const known = graph.values[value];
    const side = id.startsWith('in') ? 'input' : 'output';
    const title = short(known?.name ?? ''), under = short(known ? `${side} ${shapeText(known.shape)}` : side);
    return {id, parent: null, kind: 'end', title, under, problem: false, label: spoken(title, under)};
  });
  return [...ends.filter((end) => end.id.startsWith('in')), ...drawing.items.map(({item, parent}) => sign(item, parent)), ...ends.filter((end) => end.id.startsWith('out'))];
}

export const boxesOf = (signs: Sign[]): Box[] => signs.map((sign) => ({
  id: sign.id, parent: sign.parent, open: sign.kind === 'frame', height: sign.under ? 44 : 28,
  width: Math.max(LEAST_WIDTH, Math.ceil(Math.max(sign.title.length * LETTER_PX, sign.under.length * UNDER_PX)) + 20),
}));

// Where an arrow key leads: down and up along edges, to the sides among neighbours of the same height, else in order.
export function stepFrom(drawing: Drawn, signs: Sign[], centre: (id: string) => {x: number; y: number} | null, from: string, key: string): string | null {
  if (key === 'ArrowDown') return drawing.edges.find((edge) => edge.from === from)?.to ?? next(signs, from, 1);
  if (key === 'ArrowUp') return drawing.edges.find((edge) => edge.to === from)?.from ?? next(signs, from, -1);
  const here = centre(from);
  if (!here) return null;
  const side = key === 'ArrowRight' ? 1 : -1;
  let best: string | null = null, least = Infinity;
  for (const sign of signs) {
    const there = sign.kind === 'frame' || sign.id === from ? null : centre(sign.id);
    if (!there || (there.x - here.x) * side <= 1 || Math.abs(there.y - here.y) > 60) continue;
    if ((there.x - here.x) * side < least) { least = (there.x - here.x) * side; best = sign.id; }
  }
  return best;
}

function next(signs: Sign[], from: string, by: number): string | null {
  const solid = signs.filter((sign) => sign.kind !== 'frame');
  return solid[solid.findIndex((sign) => sign.id === from) + by]?.id ?? null;
}

