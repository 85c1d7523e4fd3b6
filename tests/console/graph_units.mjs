// The graph of a model without a page: folding loses no node and stays below its limit whatever is opened, differences, the camera,
// and that a layout places all that is drawn.
import assert from 'node:assert/strict';
import {createRequire} from 'node:module';
import test from 'node:test';
import {fileURLToPath} from 'node:url';
import {performance} from 'node:perf_hooks';
import {layered, randomGraph, seeded, transformer} from './graphs.mjs';

const root = fileURLToPath(new URL('../../cloud-server/console/', import.meta.url));
const require = createRequire(`${root}package.json`);
const {build} = require('esbuild');
async function load(name) {
  const {outputFiles} = await build({absWorkingDir: root, entryPoints: [`source/graph/${name}`], bundle: true, write: false, format: 'esm', platform: 'neutral', logLevel: 'error',
    jsx: 'automatic', jsxImportSource: 'preact', mainFields: ['module', 'main']});
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}
const fold = await load('fold.ts');
const view = await load('view.ts');
const {findRuns} = await load('repeats.ts');
const difference = await load('difference.ts');
const camera = await load('camera.ts');
const {findNodes} = await load('model.ts');
const {elkGraph, placed} = await load('layout.ts');
const signs = await load('signs.ts');
const {sketch} = await load('sketch.ts');

const leaves = (item) => fold.isGroup(item) ? item.children.flatMap(leaves) : [item];

// All nodes below the focus are drawn once, edges between what is drawn and only those, and within the limit.
function check(graph, whole, now, what) {
  const focus = view.groupsOf(whole).get(now.focus);
  const picture = view.drawn(graph, whole, now);
  const open = new Set(now.open);
  const solid = picture.items.map(({item}) => item).filter((item) => !(fold.isGroup(item) && open.has(item.id)));
  assert.deepEqual(solid.flatMap(leaves).sort((a, b) => a - b), leaves(focus).sort((a, b) => a - b), `${what}: nodes`);
  assert.ok(picture.items.length + picture.ends.length <= fold.MOST_SHOWN, `${what}: ${picture.items.length} items`);
  const ids = new Set([...solid.map(view.itemId), ...picture.ends.map((end) => end.id)]);
  assert.equal(ids.size, solid.length + picture.ends.length, `${what}: ids differ`);
  const home = new Map(solid.flatMap((item) => leaves(item).map((node) => [node, view.itemId(item)])));
  const wanted = new Set(graph.edges.map(([a, b]) => [home.get(a), home.get(b)]).filter(([a, b]) => a && b && a !== b).map(String));
  const seen = new Set(picture.edges.filter((edge) => !/^(in|out)\d/.test(edge.from) && !/^(in|out)\d/.test(edge.to)).map((edge) => String([edge.from, edge.to])));
  assert.deepEqual([...seen].sort(), [...wanted].sort(), `${what}: edges`);
  const order = new Map(solid.map((item, at) => [view.itemId(item), at]));
  for (const edge of picture.edges) if (order.has(edge.from) && order.has(edge.to)) assert.ok(order.get(edge.from) < order.get(edge.to), `${what}: a circle`);
}

test('folding loses no node, whatever is opened and however large the graph is', () => {
  for (let seed = 1; seed <= 60; seed += 1) {
    const random = seeded(seed);
    const graph = randomGraph(random, 1 + Math.floor(random() * (seed % 6 === 0 ? 6000 : 500)));
    const whole = fold.foldGraph(graph);
    assert.deepEqual(leaves(whole), graph.nodes.map((_node, at) => at), `seed ${seed}: the tree holds each node once, in order`);
    let now = view.START;
    check(graph, whole, now, `seed ${seed}`);
    const groups = [...view.groupsOf(whole).values()];
    for (const group of groups) assert.ok(group.children.length > 0 && group.children.length <= 240, `seed ${seed}: ${group.id}`);
    assert.equal(new Set(groups.map((group) => group.id)).size, groups.length, `seed ${seed}: ids of groups`);
    for (let step = 0; step < 12; step += 1) {
      const group = groups[Math.floor(random() * groups.length)];
      const node = Math.floor(random() * graph.nodes.length);
      now = random() < 0.4 ? view.reveal(whole, now, node) : random() < 0.7 ? view.openGroup(whole, now, group.id) : view.closeGroup(now, group.id);
      check(graph, whole, now, `seed ${seed}, step ${step}`);
    }
    const node = Math.floor(random() * graph.nodes.length);
    now = view.reveal(whole, now, node);
    check(graph, whole, now, `seed ${seed}, revealed`);
    assert.ok(view.drawn(graph, whole, now).items.some(({item}) => item === node), `seed ${seed}: node ${node} is seen when it was searched`);
  }
});

test('blocks that repeat fold, and begin where few edges cross', () => {
  const graph = transformer(12);
  const whole = fold.foldGraph(graph);
  const blocks = whole.children.filter((item) => fold.isGroup(item) && item.kind === 'block');
  assert.ok(blocks.length >= 11, `${blocks.length} blocks of 12 layers`);
  assert.equal(new Set(blocks.map((block) => block.last - block.first)).size, 1, 'all of one size');
  const cuts = fold.cutsOf(graph);
  for (const block of blocks) assert.ok(cuts[block.first] <= 2, `a block begins where ${cuts[block.first]} edges cross`);
  assert.deepEqual(findRuns(['a', 'a', 'a', 'a', 'a', 'a'], []), [], 'one operator after the other is no block');
  assert.deepEqual(findRuns([...'xabcabcabcy'], []).map((run) => [run.period, run.count]), [[3, 3]]);
  assert.equal(fold.foldGraph(transformer(1, 4)).children.every((item) => !fold.isGroup(item)), true, 'a small graph is shown as it is');
});

test('lines differ by the fewest steps, and either text follows from them', () => {
  const random = seeded(5);
  for (let round = 0; round < 300; round += 1) {
    const text = () => Array.from({length: Math.floor(random() * 12)}, () => 'abc'[Math.floor(random() * 3)]);
    const [a, b] = [text(), text()];
    const steps = difference.steps(a, b);
    let x = 0, y = 0;
    for (const step of steps) {
      if (step === 'same') assert.equal(a[x], b[y]);
      if (step !== 'new') x += 1;
      if (step !== 'gone') y += 1;
    }
    assert.deepEqual([x, y], [a.length, b.length]);
    // The longest common subsequence by the plain table.
    const table = Array.from({length: a.length + 1}, () => new Array(b.length + 1).fill(0));
    for (let i = a.length - 1; i >= 0; i -= 1) for (let j = b.length - 1; j >= 0; j -= 1) table[i][j] = a[i] === b[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
    assert.equal(steps.filter((step) => step === 'same').length, table[0][0], `${a.join('')} ${b.join('')}`);
  }
  assert.deepEqual(difference.lineDifference('a\nb\n', 'a\nb\n'), []);
  assert.deepEqual(difference.lineDifference('', 'new\n'), [{kind: 'new', text: 'new', after: 1}]);
  const far = difference.lineDifference(`${'x\n'.repeat(50)}old\n${'y\n'.repeat(50)}`, `${'x\n'.repeat(50)}now\n${'y\n'.repeat(50)}`);
  assert.deepEqual(far.map((line) => line.kind).filter((kind) => kind !== 'same'), ['gap', 'gone', 'new', 'gap']);
  const replaced = difference.steps(Array.from({length: 4000}, (_n, i) => `a${i}`), Array.from({length: 4000}, (_n, i) => `b${i}`));
  assert.equal(replaced.length, 8000, 'what has nothing in common ends too');
});

test('graphs differ by nodes: new, gone, changed', () => {
  const old = transformer(2), now = structuredClone(old);
  now.nodes[3].attributes.axis = '7';
  now.nodes[5].op = 'Gelu';
  now.nodes.push({...structuredClone(old.nodes[0]), name: 'fresh'});
  const changes = difference.graphDifference(old, now);
  assert.deepEqual(changes.map((change) => [change.before, change.after]), [[3, 3], [5, 5], [undefined, old.nodes.length]]);
  assert.match(changes[0].what[0], /axis .*, now 7/);
  assert.match(changes[1].what[0], /now Gelu/);
  assert.deepEqual(difference.graphDifference(old, structuredClone(old)), []);
  for (const graph of [old, now]) for (const node of graph.nodes) node.name = '';
  assert.equal(difference.graphDifference(old, now).some((change) => change.before === undefined), true, 'without names by their operators');
});

test('the camera keeps the point under the pointer, and its limits', () => {
  const window = {width: 800, height: 600};
  let at = camera.fitted({width: 4000, height: 900}, window);
  assert.equal(Math.round(window.width / at.width * 1000), 200);
  const before = at.x + 0.25 * at.width;
  at = camera.zoomed(at, window, 2, 0.25, 0.5);
  assert.ok(Math.abs(at.x + 0.25 * at.width - before) < 1e-9);
  for (let i = 0; i < 50; i += 1) at = camera.zoomed(at, window, 2);
  assert.ok(window.width / at.width <= 3.001);
  const box = {x: 900, y: 900, width: 100, height: 40};
  const seen = camera.showing(camera.fitted({width: 500, height: 500}, window), box);
  assert.ok(seen.x <= box.x && box.x + box.width <= seen.x + seen.width && seen.y <= box.y && box.y + box.height <= seen.y + seen.height);
});

test('a node is found by operator or name, the best first', () => {
  const graph = {nodes: [{op: 'Add', name: 'conv/add'}, {op: 'Conv', name: 'last'}, {op: 'Relu', name: 'convolved'}]};
  assert.deepEqual(findNodes(graph, ' CONV ', 9), [1, 0, 2]);
  assert.deepEqual(findNodes(graph, '', 9), []);
  assert.deepEqual(findNodes(graph, 'conv', 1), [1]);
});

test('the sketch before the layout is whole too, and what goes past nodes goes around them', () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const graph = randomGraph(seeded(seed), 38);
    const picture = view.drawn(graph, fold.foldGraph(graph), view.START);
    const boxes = signs.boxesOf(signs.signsOf(graph, picture, new Set()));
    const result = sketch(boxes, picture.edges);
    const all = boxes.map((box) => result.boxes.get(box.id));
    for (let i = 0; i < all.length; i += 1) for (let j = i + 1; j < all.length; j += 1)
      assert.ok(all[i].x + all[i].width <= all[j].x || all[j].x + all[j].width <= all[i].x || all[i].y + all[i].height <= all[j].y || all[j].y + all[j].height <= all[i].y, `seed ${seed}: ${i} and ${j} overlap`);
    for (const [at, line] of result.lines.entries()) {
      const {from, to} = picture.edges[at];
      for (const box of boxes.filter((item) => item.id !== from && item.id !== to)) {
        const {x, y, width, height} = result.boxes.get(box.id);
        for (let k = 0; k <= 50; k += 1) {
          const along = k / 50 * (line.length - 1), part = Math.min(line.length - 2, Math.floor(along)), rest = along - part;
          const point = {x: line[part].x + rest * (line[part + 1].x - line[part].x), y: line[part].y + rest * (line[part + 1].y - line[part].y)};
          assert.ok(!(point.x > x && point.x < x + width && point.y > y && point.y < y + height), `seed ${seed}: edge ${from} ${to} lies over ${box.id}`);
        }
      }
    }
  }
});

// elkjs where there is no worker: the same code, called in place.
async function layoutOf(graph, now) {
  const {Worker} = require('elkjs/lib/elk-worker.min.js');
  const worker = new Worker();
  const whole = fold.foldGraph(graph);
  const picture = view.drawn(graph, whole, now(whole));
  const all = signs.signsOf(graph, picture, new Set(now(whole).open));
  const answer = await new Promise((give, fail) => {
    worker.onmessage = ({data}) => { if (data.id === 1) (data.error ? fail(new Error(JSON.stringify(data.error))) : give(data.data)); };
    worker.postMessage({id: 0, cmd: 'register', algorithms: ['layered']});
    worker.postMessage({id: 1, cmd: 'layout', graph: elkGraph(signs.boxesOf(all), picture.edges), layoutOptions: {}, options: {}});
  });
  return {picture, all, placed: placed(answer)};
}

test('a layout places every sign, within frames and without overlap, and draws every edge', async () => {
  for (const [graph, now] of [[layered(seeded(3), 25, 3), () => view.START], [transformer(12), (whole) => view.openGroup(whole, view.START, whole.children.find((item) => fold.isGroup(item)).id)]]) {
    const started = performance.now();
    const {picture, all, placed: result} = await layoutOf(graph, now);
    console.log(`${all.length} signs in ${Math.round(performance.now() - started)} ms`);
    for (const sign of all) assert.ok(result.boxes.get(sign.id)?.width > 0, sign.id);
    const solid = all.filter((sign) => sign.kind !== 'frame').map((sign) => result.boxes.get(sign.id));
    for (let i = 0; i < solid.length; i += 1) for (let j = i + 1; j < solid.length; j += 1) {
      const [a, b] = [solid[i], solid[j]];
      assert.ok(a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y, `signs ${i} and ${j} overlap`);
    }
    for (const sign of all.filter((item) => item.parent !== null)) {
      const [inner, frame] = [result.boxes.get(sign.id), result.boxes.get(sign.parent)];
      assert.ok(inner.x >= frame.x && inner.y >= frame.y && inner.x + inner.width <= frame.x + frame.width && inner.y + inner.height <= frame.y + frame.height, `${sign.id} lies outside of its frame`);
    }
    assert.equal(result.lines.length, picture.edges.length);
    for (const [at, line] of result.lines.entries()) {
      assert.ok(line.length >= 2, `edge ${at}`);
      const [from, to] = [result.boxes.get(picture.edges[at].from), result.boxes.get(picture.edges[at].to)];
      const near = (point, box) => point.x >= box.x - 2 && point.x <= box.x + box.width + 2 && point.y >= box.y - 2 && point.y <= box.y + box.height + 2;
      assert.ok(near(line[0], from) && near(line.at(-1), to), `edge ${at} ends elsewhere`);
    }
  }
});
