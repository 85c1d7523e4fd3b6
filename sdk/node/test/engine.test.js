'use strict';
const fs = require('node:fs');
const test = require('node:test');
const {Model, assert, data, fails} = require('./common.js');

const floats = (...values) => new Float32Array(values);

test('a model says what it is', () => {
  const model = Model.open(data('free.onnx'));
  assert.deepStrictEqual(model.inputs, [{name: 'x', type: 'f32', kind: 'tensor', shape: ['batch', 3], scale: 0, zeroPoint: 0}]);
  assert.deepStrictEqual(model.outputs.map((io) => io.name), ['y', 'z']);
  assert.strictEqual(model.info().nodes, 2);
  assert.ok(Model.isas().includes('reference'));
});

test('run and runSync agree, by struct and by plain array', async () => {
  const model = Model.open(data('add.onnx'), {threads: 1});
  const a = floats(1, 2, 3, 4);
  const want = {y: {type: 'f32', shape: [4], data: floats(11, 12, 13, 14)}};
  const inputs = {a, b: {type: 'f32', shape: [4], data: floats(10, 10, 10, 10)}};
  for (let i = 0; i < 5; ++i) {  // by the thread, then in place
    assert.deepStrictEqual(model.runSync(inputs), want);
    assert.deepStrictEqual(await model.run(inputs), want);
  }
});

test('free extents, each run in memory of its own', async () => {
  const model = Model.open(data('free.onnx'));
  const kept = [];
  for (const rows of [1, 4, 4, 2, 4, 1]) {
    const x = new Float32Array(rows * 3).map((_, i) => -i);
    kept.push([x, model.runSync({x}), await model.run({x: {shape: [rows, 3], data: x}})]);
  }
  for (const [x, ...results] of kept) {
    for (const {y, z} of results) {
      assert.deepStrictEqual(y.shape, [x.length / 3, 3]);
      assert.deepStrictEqual(y.data, x.map((v) => v + v));
      assert.deepStrictEqual(z.data, x.map(Math.abs));
      assert.strictEqual(y.data.byteLength, y.data.buffer.byteLength);
    }
  }
});

test('shapes that depend on values, texts, 64-bit integers', async () => {
  const places = Model.open(data('places.onnx'));
  assert.deepStrictEqual(places.runSync({x: floats(0, 5, 0, 6)}).y.data, new BigInt64Array([1n, 3n]));
  assert.deepStrictEqual((await places.run({x: floats(7, 0)})).y.data, new BigInt64Array([0n]));
  assert.deepStrictEqual(places.runSync({x: floats(0, 0)}).y.shape, [1, 0]);
  const texts = Model.open(data('texts.onnx'));
  assert.deepStrictEqual(texts.runSync({x: ['a', 'é', '']}).y, {type: 'string', shape: [3], data: ['a', 'é', '']});
  const whole = Model.open(data('whole.onnx'));
  assert.deepStrictEqual((await whole.run({x: new BigInt64Array([1n << 60n, -1n])})).y.data, new BigInt64Array([1n << 61n, -2n]));
});

test('outputs are written where the app wants them, and those alone that it wants', async () => {
  const model = Model.open(data('free.onnx'));
  const x = floats(1, -2, 3);
  const y = new Float32Array(3), bytes = new Uint8Array(12), large = new Float32Array(8);
  const first = model.runSync({x}, {outputs: {y, z: null}});
  assert.strictEqual(first.y.data, y);
  assert.deepStrictEqual(y, floats(2, -4, 6));
  assert.deepStrictEqual(first.z.data, floats(1, 2, 3));
  assert.strictEqual((await model.run({x}, {outputs: {z: bytes}})).z.data, bytes);
  assert.deepStrictEqual(new Float32Array(bytes.buffer), floats(1, 2, 3));
  const third = await model.run({x}, {outputs: {y: large}});
  assert.deepStrictEqual(third.y.data, floats(2, -4, 6));
  assert.strictEqual(third.y.data.buffer, large.buffer);
  assert.deepStrictEqual(Object.keys(await model.run({x}, {outputs: ['z']})), ['z']);
  await fails('shape_mismatch', ["'y'", '12 bytes', 'room for 4'], () => model.run({x}, {outputs: {y: new Float32Array(1)}}));
  await fails('invalid_argument', ["no output 'q'", "'y', 'z'"], () => model.runSync({x}, {outputs: ['q']}));
});

test('models from bytes, descriptors and another thread', async () => {
  const bytes = fs.readFileSync(data('add.onnx'));
  const descriptor = fs.openSync(data('add.onnx'), 'r');
  const models = [Model.open(bytes), Model.open({descriptor}), await Model.openAsync(data('add.onnx')),
                  await Model.openAsync(bytes), await Model.openAsync({descriptor, offset: 0, length: bytes.length})];
  bytes.fill(0);
  fs.closeSync(descriptor);
  for (const model of models) assert.deepStrictEqual(model.runSync({a: floats(1, 1, 1, 1), b: floats(2, 2, 2, 2)}).y.data, floats(3, 3, 3, 3));
});

test('runs of one session queue, sessions run at one time', async () => {
  const model = Model.open(data('free.onnx'));
  const runs = [];
  for (let i = 1; i < 40; ++i) runs.push(model.run({x: new Float32Array(3 * (i % 5 + 1)).fill(i)}));
  const results = await Promise.all(runs);
  results.forEach(({y}, at) => assert.strictEqual(y.data[0], 2 * (at + 1)));
  const slow = Model.open(data('slow.onnx'), {threads: 1});
  const x = new Float32Array(384 * 384);
  const sessions = [slow.session({threads: 1}), slow.session({threads: 1})];
  await Promise.all(sessions.map((session) => session.run({x})));
});

test('the event loop is free during a run', async () => {
  const model = Model.open(data('slow.onnx'), {threads: 1});
  await model.resize({x: new Float32Array(384 * 384)});
  let turns = 0;
  const timer = setInterval(() => ++turns, 1);
  await model.run({x: new Float32Array(384 * 384)});
  clearInterval(timer);
  assert.ok(turns >= 5, `${turns} turns`);
});

test('a run is cancelled by its signal, by its session, or before it begins', async () => {
  const model = Model.open(data('slow.onnx'), {threads: 1});
  const x = new Float32Array(384 * 384);
  const abort = new AbortController();
  const [first, second] = [model.run({x}), model.run({x}, {signal: abort.signal})];
  abort.abort();
  await fails('cancelled', ['before it began'], () => second);
  await first;
  const later = new AbortController();
  const third = model.run({x}, {signal: later.signal});
  setImmediate(() => later.abort());
  await fails('cancelled', [], () => third);
  await fails('cancelled', [], () => model.run({x}, {signal: AbortSignal.abort()}));
  const session = model.session();
  const fourth = session.run({x});
  setImmediate(() => session.cancel());
  await fails('cancelled', [], () => fourth);
});

test('a profile names nodes', () => {
  const model = Model.open(data('add.onnx'), {profile: true});
  model.runSync({a: floats(1, 2, 3, 4), b: floats(1, 2, 3, 4)});
  assert.ok(model.profile().some((step) => step.node.includes('node_0')), JSON.stringify(model.profile()));
});
