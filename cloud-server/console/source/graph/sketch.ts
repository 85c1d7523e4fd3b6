// A plain layout by layers, for the moment until the real one is there: what lays graphs out takes long to start. Pure.
import type {Box, Placed, Point} from './layout';

const ACROSS = 24, BETWEEN = 34, EDGE = 12;

// Without frames. `boxes` stand in an order in which edges go forward.
export function sketch(boxes: Box[], edges: {from: string; to: string}[]): Placed {
  const before = new Map<string, string[]>();
  for (const {from, to} of edges) before.set(to, [...before.get(to) ?? [], from]);
  const layerOf = new Map<string, number>();
  const layers: Box[][] = [];
  for (const box of boxes) {
    const layer = Math.max(-1, ...(before.get(box.id) ?? []).map((id) => layerOf.get(id) ?? -1)) + 1;
    layerOf.set(box.id, layer);
    (layers[layer] ??= []).push(box);
  }
  const widthOf = (layer: Box[]): number => layer.reduce((sum, box) => sum + box.width + ACROSS, -ACROSS);
  const width = Math.max(0, ...layers.map(widthOf));
  const placed: Placed = {width: width + 2 * EDGE, height: 0, boxes: new Map(), lines: []};
  let y = EDGE;
  for (const layer of layers) {
    const middle = (box: Box): number => {
      const above = (before.get(box.id) ?? []).flatMap((id) => placed.boxes.get(id) ?? []);
      return above.length ? above.reduce((sum, item) => sum + item.x + item.width / 2, 0) / above.length : 0;
    };
    let x = EDGE + (width - widthOf(layer)) / 2;
    for (const box of layer.map((item) => ({item, at: middle(item)})).sort((a, b) => a.at - b.at).map(({item}) => item)) {
      placed.boxes.set(box.id, {x, y, width: box.width, height: box.height});
      x += box.width + ACROSS;
    }
    y += Math.max(...layer.map((box) => box.height)) + BETWEEN;
  }
  placed.height = y - BETWEEN + EDGE;
  const end = (id: string, bottom: boolean): Point => {
    const box = placed.boxes.get(id) ?? {x: 0, y: 0, width: 0, height: 0};
    return {x: box.x + box.width / 2, y: box.y + (bottom ? box.height : 0)};
  };
  // What goes past layers goes around what lies there.
  const rights = layers.map((layer) => Math.max(...layer.map((box) => (placed.boxes.get(box.id)?.x ?? 0) + box.width)));
  placed.lines = edges.map(({from, to}) => {
    const [a, b] = [end(from, true), end(to, false)];
    const past = rights.slice((layerOf.get(from) ?? 0) + 1, layerOf.get(to));
    if (past.length === 0) return [a, b];
    const side = Math.max(...past) + ACROSS / 2;
    return [a, {x: side, y: a.y + BETWEEN}, {x: side, y: b.y - BETWEEN}, b];
  });
  return placed;
}
