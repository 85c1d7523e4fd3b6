'use strict';
const {spawnSync} = require('node:child_process');
const test = require('node:test');
const {Worker} = require('node:worker_threads');
const {FerryError, Model, Policy, Runtime, Stream, assert, data, fails} = require('./common.js');

const add = () => Model.open(data('add.onnx'));
const four = () => new Float32Array(4);

test('wrong inputs name the input', async () => {
  const model = add();
  for (const run of [(inputs) => model.runSync(inputs), (inputs) => model.run(inputs)]) {
    await fails('invalid_argument', ["input 'b' is missing"], () => run({a: four()}));
    await fails('invalid_argument', ["no input 'c'", "'a', 'b'"], () => run({a: four(), b: four(), c: four()}));
    await fails('shape_mismatch', ["'b'", '16', '20'], () => run({a: four(), b: new Float32Array(5)}));
    await fails('shape_mismatch', ["'b'"], () => run({a: four(), b: {shape: [2, 2], data: four()}}));
    await fails('shape_mismatch', ["'b'", '16', '12'], () => run({a: four(), b: new Float32Array(3)}));
    await fails('shape_mismatch', ["'b'", 'Float32Array', 'Float64Array'], () => run({a: four(), b: new Float64Array(4)}));
    await fails('shape_mismatch', ["'b'", 'f64'], () => run({a: four(), b: {type: 'f64', data: new Float64Array(4)}}));
    await fails('shape_mismatch', ["'b'", 'float'], () => run({a: four(), b: {type: 'float', data: four()}}));
    await fails('shape_mismatch', ["'b'", '-4'], () => run({a: four(), b: {shape: [-4], data: four()}}));
    await fails('shape_mismatch', ["'b'"], () => run({a: four(), b: {shape: new Array(9).fill(1), data: four()}}));
    await fails('shape_mismatch', ["'b'", '"text"'], () => run({a: four(), b: 'text'.valueOf() && {data: 'text'}}));
    const unaligned = new Uint8Array(new ArrayBuffer(24), 1, 16);
    await fails('invalid_argument', ["'b'", 'aligned to 4'], () => run({a: four(), b: unaligned}));
    await fails('invalid_argument', ['inputs'], () => run(null));
    const detached = four();
    structuredClone(detached, {transfer: [detached.buffer]});
    await fails('shape_mismatch', ["'b'"], () => run({a: four(), b: {shape: [4], data: detached}}));
    assert.deepStrictEqual((await run({a: four(), b: four()})).y.data, four());  // it still runs
  }
  if (new ArrayBuffer(16, {maxByteLength: 32}).resizable)
    await fails('invalid_argument', ['resizable'], () => add().run({a: four(), b: new Float32Array(new ArrayBuffer(16, {maxByteLength: 32}))}));
});

test('a getter that throws comes through', async () => {
  const inputs = {a: four(), get b() { throw new RangeError('mine'); }};
  assert.throws(() => add().runSync(inputs), {name: 'RangeError', message: 'mine'});
  await assert.rejects(add().run(inputs), {name: 'RangeError', message: 'mine'});
});

test('models that do not open name file and node', async () => {
  await fails('not_found', ['none.onnx'], () => Model.open(data('none.onnx')));
  await fails('bad_model', ['broken.onnx'], () => Model.open(data('broken.onnx')));
  await fails('bad_model', ['broken.onnx'], () => Model.openAsync(data('broken.onnx')));
  await fails('unsupported_operator', ['odd.onnx', 'node_0', 'Frobnicate'], () => Model.open(data('odd.onnx')));
  await fails('bad_model', [], () => Model.open(new Uint8Array(100)));
  await fails('invalid_argument', ['bytes'], () => Model.open(5));
  await fails('io', ['descriptor 9999'], () => Model.open({descriptor: 9999}));
  await fails('invalid_argument', ['precision', 'exact'], () => Model.open(data('add.onnx'), {precision: 'some'}));
  await fails('unsupported', ['cuda'], () => Model.open(data('add.onnx'), {backends: 'cuda'}));
  await fails('invalid_argument', ['0'], () => Model.open('a\0b'));
  assert.throws(() => new Model(), TypeError);
});

test('what is closed says so', async () => {
  const model = add(), session = model.session();
  model.close();
  model.close();
  await fails('invalid_argument', ['closed'], () => model.runSync({a: four(), b: four()}));
  await fails('invalid_argument', ['closed'], () => model.run({a: four(), b: four()}));
  await fails('invalid_argument', ['closed'], () => model.info());
  await fails('invalid_argument', ['closed'], () => model.session());
  assert.deepStrictEqual(session.runSync({a: four(), b: four()}).y.data, four());  // lives on
  const stream = new Stream([{name: 's', source: 'x', operators: []}]);
  stream.close();
  await fails('invalid_argument', ['closed'], () => stream.send('x', {}));
  assert.throws(() => Model.prototype.run.call({}, {}), TypeError);
});

test('one session, two runs', async () => {
  const model = Model.open(data('slow.onnx'), {threads: 1});
  const x = new Float32Array(384 * 384);
  const run = model.run({x});
  await fails('failed_precondition', ['another call'], () => model.runSync({x}));
  await run;
});

test('closed amid its run', async () => {
  const model = Model.open(data('slow.onnx'), {threads: 1});
  const x = new Float32Array(384 * 384);
  const [run, queued] = [model.run({x}), model.run({x})];
  setImmediate(() => model.close());
  await Promise.all([fails('cancelled', [], () => run), fails('cancelled', ['closed'], () => queued)]);
});

test('streams and policies name the place', async () => {
  await fails('malformed', ['rise'], () => new Stream([{name: 's', source: 'x', operators: [{op: 'rise'}]}]));
  const stream = new Stream([{name: 's', source: 'x', operators: []}]);
  await fails('not_found', ['z'], () => stream.send('z', {}));
  await fails('bad_rule', ['line 1', 'column 4'], () => Policy.matches('os = 1', {}));
  const circle = {};
  circle.circle = circle;
  await fails('malformed', ['row'], () => stream.send('x', circle));
});

test('a runtime refuses what is wrong', async () => {
  await fails('invalid_argument', ['3 bytes', '32'], () => new Runtime({atRestKey: new Uint8Array(3)}));
  await fails('invalid_argument', ['onResult'], () => new Runtime({onResult: 5}));
  const runtime = new Runtime();
  await fails('not_found', ['none.fpk'], () => runtime.openTask('none.fpk'));
  await fails('invalid_argument', ['path'], () => runtime.openTask(undefined));
  await fails('malformed', [], () => runtime.send([1]));
  await fails('failed_precondition', [], () => runtime.sendDurable({id: 'a'}));
  await fails('not_found', ['pack'], () => runtime.call('pack', 'f'));
  await fails('not_found', [], () => runtime.model('pack:model'));
  await fails('not_found', ['none.flm'], () => runtime.languageModel('none.flm'));
  await runtime.close();
  await runtime.close();
  await fails('invalid_argument', ['closed'], () => runtime.send({id: 'a'}));
});

// In a process of its own: what `script` prints, which must end by itself with status 0.
function inChild(script) {
  const done = spawnSync(process.execPath, ['--expose-gc', '-e', script], {encoding: 'utf8', timeout: 60_000});
  assert.strictEqual(done.status, 0, `${done.signal} ${done.stderr}`);
  return done.stdout;
}

test('a callback that throws is an uncaught exception, and no more', () => {
  const out = inChild(`
    const {Runtime} = require('ferry');
    let thrown = 0;
    process.on('uncaughtException', (error) => { ++thrown; console.log(error.message); });
    const runtime = new Runtime({onResult: (result) => { throw new Error('from the callback ' + thrown); }});
    (async () => {
      await runtime.openTask(${JSON.stringify(data('digits.fpk'))});
      for (let i = 0; i < 2; ++i) {
        runtime.send({id: 'page_enter', page: 'scan'});
        runtime.send({id: 'image', page: 'scan', data: {image: i, pixels: new Array(64).fill(0)}});
      }
      await runtime.close();
      console.log('closed');
    })();`);
  assert.strictEqual(out, 'from the callback 0\nfrom the callback 1\nclosed\n');
});

test('a process that ends amid runs just ends', () => {
  const run = `
    const {Model} = require('ferry');
    const model = Model.open(${JSON.stringify(data('slow.onnx'))}, {threads: 1});
    const x = new Float32Array(384 * 384);
    for (let i = 0; i < 3; ++i) model.run({x}).then(() => {}, () => {});`;
  assert.strictEqual(inChild(`${run} setTimeout(() => { console.log('out'); process.exit(0); }, 20);`), 'out\n');
  // And one that nobody ends waits for them.
  assert.strictEqual(inChild(`${run} model.run({x}).then(() => console.log('all'));`), 'all\n');
});

test('a worker that is ended amid a run', async () => {
  const worker = new Worker(`
    const {Model} = require('ferry');
    const model = Model.open(${JSON.stringify(data('slow.onnx'))}, {threads: 1});
    model.run({x: new Float32Array(384 * 384)});
    require('node:worker_threads').parentPort.postMessage('running');`, {eval: true});
  await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  await worker.terminate();
  assert.deepStrictEqual(add().runSync({a: four(), b: four()}).y.data, four());
});

test('what nothing refers to is closed', () => {
  const out = inChild(`
    const {Model, Runtime, Stream} = require('ferry');
    const path = ${JSON.stringify(data('add.onnx'))};
    const a = new Float32Array(4);
    async function some() {
      for (let i = 0; i < 200; ++i) await Model.open(path, {threads: 1}).run({a, b: a});
      for (let i = 0; i < 5; ++i) { new Runtime({threads: 1}); new Stream([{name: 's', source: 'x', operators: []}]); }
    }
    (async () => {
      await some();
      global.gc(); await new Promise(setImmediate); global.gc();
      const before = process.memoryUsage().rss;
      for (let i = 0; i < 5; ++i) { await some(); global.gc(); await new Promise(setImmediate); global.gc(); }
      console.log(process.memoryUsage().rss - before);
    })();`);
  assert.ok(Number(out) < 16 << 20, `${out} bytes more after 1,000 models`);
});
