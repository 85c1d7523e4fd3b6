// What is drawn of the tree: the groups that are open, below the one that is looked into. Never more than MOST_SHOWN items.
import {isGroup, MOST_SHOWN, pathTo, type Group, type Item} from './fold';
import type {ModelGraph} from './model';

// Inputs, and outputs, of the model that are drawn beside its nodes.
export const MOST_ENDS = 8;
const MOST_ITEMS = MOST_SHOWN - 2 * MOST_ENDS;

export interface View {
  focus: string;              // the group that fills the picture
  open: readonly string[];    // opened within it, the latest last
}
export const START: View = {focus: 'whole', open: []};

export function groupsOf(whole: Group): Map<string, Group> {
  const all = new Map<string, Group>();
  const add = (group: Group): void => {
    all.set(group.id, group);
    for (const item of group.children) if (isGroup(item)) add(item);
  };
  add(whole);
  return all;
}

const opened = (item: Item, open: ReadonlySet<string>): item is Group => isGroup(item) && open.has(item.id);

// All that is drawn: nodes, folded groups, and the frames of open ones.
export function countShown(group: Group, open: ReadonlySet<string>): number {
  let count = 0;
  for (const item of group.children) count += 1 + (opened(item, open) ? countShown(item, open) : 0);
  return count;
}

export const itemId = (item: Item): string => isGroup(item) ? item.id : `n${item}`;

// Opens a group; those opened longest ago close where it would be too much, and where that is not enough the group fills the
// picture alone.
export function openGroup(whole: Group, view: View, id: string): View {
  const all = groupsOf(whole);
  const group = all.get(id), focus = all.get(view.focus);
  if (!group || !focus || group === focus) return view;
  const path = pathTo(whole, group.first);
  const above = path.slice(0, path.indexOf(group)).map((item) => item.id);
  if (!above.includes(focus.id)) return {focus: id, open: []};
  const needed = new Set([...above.slice(above.indexOf(focus.id) + 1), id]);
  let others = view.open.filter((item) => all.has(item) && !needed.has(item));
  for (;;) {
    const open = [...others, ...needed];
    if (countShown(focus, new Set(open)) <= MOST_ITEMS) return {focus: focus.id, open};
    if (others.length === 0) return {focus: id, open: []};
    others = others.slice(1);
  }
}

export const closeGroup = (view: View, id: string): View => ({...view, open: view.open.filter((item) => item !== id)});

// Opens what has to be open for a node to be seen.
export function reveal(whole: Group, view: View, node: number): View {
  const path = pathTo(whole, node);
  const from = path.findIndex((group) => group.id === view.focus);
  let next = from < 0 ? START : view;
  for (const group of path.slice(Math.max(from, 0) + 1)) if (!next.open.includes(group.id)) next = openGroup(whole, next, group.id);
  return next;
}

// Of the whole picture the model's own inputs and outputs too, as "in0" and "out0".
export interface Drawn {
  items: {item: Item; parent: string | null}[];    // frames of open groups before what is in them
  ends: {id: string; value: number}[];
  edges: {from: string; to: string; values: number[]}[];
}

// Items and the edges between them; edges inside of a folded group are not drawn, several between two items are one.
export function drawn(graph: ModelGraph, whole: Group, view: View): Drawn {
  const focus = groupsOf(whole).get(view.focus) ?? whole;
  const open = new Set(view.open);
  const items: Drawn['items'] = [];
  const shownAs = new Map<number, string>();
  const add = (group: Group, parent: string | null): void => {
    for (const item of group.children) {
      items.push({item, parent});
      if (opened(item, open)) { add(item, item.id); continue; }
      const [first, last] = isGroup(item) ? [item.first, item.last] : [item, item];
      for (let node = first; node <= last; node += 1) shownAs.set(node, itemId(item));
    }
  };
  add(focus, null);
  const edges = new Map<string, {from: string; to: string; values: number[]}>();
  const join = (from: string | undefined, to: string | undefined, value: number): void => {
    if (from === undefined || to === undefined || from === to) return;
    const edge = edges.get(`${from} ${to}`);
    if (!edge) edges.set(`${from} ${to}`, {from, to, values: [value]});
    else if (!edge.values.includes(value)) edge.values.push(value);
  };
  for (const [from, to, value] of graph.edges) join(shownAs.get(from), shownAs.get(to), value);
  const ends: Drawn['ends'] = [];
  if (focus === whole) addEnds(graph, ends, (id, value, node, isInput) => isInput ? join(id, shownAs.get(node), value) : join(shownAs.get(node), id, value));
  return {items, ends, edges: [...edges.values()]};
}

function addEnds(graph: ModelGraph, ends: Drawn['ends'], join: (id: string, value: number, node: number, isInput: boolean) => void): void {
  const inputs = new Map(graph.inputs.slice(0, MOST_ENDS).map((value, at) => [value, `in${at}`]));
  const outputs = new Map(graph.outputs.slice(0, MOST_ENDS).map((value, at) => [value, `out${at}`]));
  for (const [value, id] of [...inputs, ...outputs]) ends.push({id, value});
  graph.nodes.forEach((node, at) => {
    for (const value of node.inputs) { const id = inputs.get(value); if (id) join(id, value, at, true); }
    for (const value of node.outputs) { const id = outputs.get(value); if (id) join(id, value, at, false); }
  });
}
