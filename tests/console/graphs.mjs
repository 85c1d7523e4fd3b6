// Graphs of models for tests: random ones, and some that look like networks.

export function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const OPS = ['Conv', 'Relu', 'Add', 'MatMul', 'Reshape', 'Transpose', 'Softmax', 'Mul'];

// The object of tools/model_graph, of nodes {op, reads: numbers of nodes before it, or -1 for the model's input}.
export function graphOf(nodes, name = 'net') {
  const values = [{name: 'x', dtype: 'f32', shape: [1, 8, 16, 16]}];
  const graph = {kind: 'model_graph', format: 1, name, file: `${name}.fm`, inputs: [0], outputs: [], values, nodes: [], edges: [], node_count: nodes.length, left_out: 0, weight_bytes: 0,
    parameters: 0, macs: 0, assumed: [], cost: 'estimated', quantization: {nodes: [], bytes_before: 0, bytes_after: 0}};
  nodes.forEach(({op, reads, attributes = {}, name: own}, at) => {
    values.push({name: `v${at}`, dtype: 'f32', shape: [1, 8, 16, 16]});
    const weighs = op === 'Conv' || op === 'MatMul';
    graph.nodes.push({op, name: own ?? `${op.toLowerCase()}_${at}`, inputs: reads.map((from) => from + 1), outputs: [at + 1], attributes, weight_bytes: weighs ? 2304 : 0, macs: weighs ? 147456 : 0, bytes: 16384});
    graph.weight_bytes += weighs ? 2304 : 0;
    graph.macs += weighs ? 147456 : 0;
    for (const from of reads) if (from >= 0) graph.edges.push([from, at, from + 1]);
  });
  if (nodes.length) graph.outputs = [nodes.length];
  return graph;
}

export function randomGraph(random, count) {
  const pattern = Array.from({length: 3 + Math.floor(random() * 9)}, () => OPS[Math.floor(random() * OPS.length)]);
  return graphOf(Array.from({length: count}, (_none, at) => ({
    op: random() < 0.85 ? pattern[at % pattern.length] : OPS[Math.floor(random() * OPS.length)],
    reads: [at - 1, ...(random() < 0.25 && at > 2 ? [Math.max(0, at - 2 - Math.floor(random() * 12))] : [])],
  })));
}

// `layers` layers alike of `width` branches.
export function layered(random, layers, width) {
  const nodes = [];
  for (let layer = 0; layer < layers; layer += 1) {
    const from = nodes.length - 1;
    const ends = [];
    for (let branch = 0; branch < width; branch += 1) {
      nodes.push({op: 'Conv', reads: [from]}, {op: random() < 0.5 ? 'Relu' : 'Softmax', reads: [nodes.length]});
      ends.push(nodes.length - 1);
    }
    nodes.push({op: 'Concat', reads: ends});
  }
  return graphOf(nodes);
}

// A transformer: each layer reads what went before at two places, as attention and its sums do.
export function transformer(layers, head = 3) {
  const nodes = Array.from({length: head}, (_none, at) => ({op: ['Gather', 'Add', 'RowNorm', 'Cast'][at % 4], reads: [at - 1]}));
  const push = (op, ...reads) => nodes.push({op, reads, attributes: {axis: '-1'}}) - 1;
  for (let layer = 0; layer < layers; layer += 1) {
    const from = nodes.length - 1;
    const split = (op) => push('Transpose', push('Reshape', push(op, from)));
    const [q, k, v] = [split('MatMul'), split('MatMul'), split('MatMul')];
    const mixed = push('MatMul', push('Softmax', push('MatMul', q, k)), v);
    const sum = push('Add', push('MatMul', push('Reshape', push('Transpose', mixed))), from);
    const norm = push('RowNorm', sum);
    push('RowNorm', push('Add', push('MatMul', push('Gelu', push('MatMul', norm))), norm));
  }
  return graphOf(nodes);
}

// MobileNetV2 as its authors give it (Sandler et al., 2018, table 2): expansion, channels, repeats, stride.
const MOBILE = [[1, 16, 1, 1], [6, 24, 2, 2], [6, 32, 3, 2], [6, 64, 4, 2], [6, 96, 3, 1], [6, 160, 3, 2], [6, 320, 1, 1]];
export function mobileNet() {
  const nodes = [];
  const push = (op, ...reads) => nodes.push({op, reads, attributes: op === 'Conv' ? {kernel_shape: '[3, 3]'} : {}}) - 1;
  const convolve = (from, clips = true) => { const conv = push('Conv', from); return clips ? push('Clip', conv) : conv; };
  let last = convolve(-1), channels = 32;
  for (const [factor, out, repeats, stride] of MOBILE) {
    for (let k = 0; k < repeats; k += 1) {
      const from = last;
      if (factor > 1) last = convolve(last);
      last = convolve(convolve(last), false);
      if (channels === out && (k > 0 || stride === 1)) last = push('Add', from, last);
      channels = out;
    }
  }
  push('Gemm', push('Flatten', push('GlobalAveragePool', convolve(last))));
  return graphOf(nodes, 'mobilenet_v2');
}
