// A model's graph as the server gives it (tools/model_graph), and what follows from it alone.
export interface GraphValue { name: string; dtype: string | null; shape: (number | string)[] | null; bytes?: number }
export interface GraphNode {
  op: string; name: string; inputs: number[]; outputs: number[]; attributes: Record<string, string>; weight_bytes: number;
  macs?: number; bytes?: number; reported_us?: number; problem?: string; more_values?: number;
}
export interface QuantizedValue {
  input: number; dtype: string; bits: number; scheme: string; symmetric: boolean; scales?: number; scale_min?: number; scale_max?: number;
  name?: string; bytes_before?: number; bytes_after?: number;
}
export interface QuantizedNode { node: number; weights: QuantizedValue[]; activations: QuantizedValue[] }
export interface ModelGraph {
  name: string; file?: string; inputs: number[]; outputs: number[]; values: GraphValue[]; nodes: GraphNode[]; edges: [number, number, number][];
  node_count: number; left_out: number; weight_bytes: number; parameters: number; macs: number; assumed: string[];
  reported?: {us?: number; of?: number; elsewhere_us?: number; problem?: string};
  quantization: {nodes: QuantizedNode[]; bytes_before: number; bytes_after: number};
}

export const shapeText = (shape: GraphValue['shape']): string => shape === null ? 'shape known when it runs' : shape.length ? shape.join('×') : 'one number';
export const typeText = (value: GraphValue): string => `${value.dtype ?? '?'} ${shapeText(value.shape)}`;

// "1.2 G", for counts that are estimated.
export function roundText(count: number): string {
  const units = ['', ' k', ' M', ' G', ' T'];
  let value = count, at = 0;
  while (value >= 1000 && at < units.length - 1) { value /= 1000; at += 1; }
  return `${at === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)}${units[at]}`;
}

// Whose name holds the text, in order; the best ones (at the start of a name, or an operator's whole name) first.
export function findNodes(graph: ModelGraph, text: string, most: number): number[] {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  const rank = (node: GraphNode): number => {
    const [name, op] = [node.name.toLowerCase(), node.op.toLowerCase()];
    return op === wanted || name === wanted ? 0 : name.startsWith(wanted) || op.startsWith(wanted) ? 1 : name.includes(wanted) || op.includes(wanted) ? 2 : 3;
  };
  const found: number[][] = [[], [], []];
  graph.nodes.forEach((node, at) => { found[rank(node)]?.push(at); });
  return found.flat().slice(0, most);
}
