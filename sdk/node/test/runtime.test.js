'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const test = require('node:test');
const {Model, Policy, Runtime, Stream, assert, data, fails, source} = require('./common.js');

const images = new Uint8Array(fs.readFileSync(source('tasks/digits/images.f32'))).buffer;
const pixels = (at) => [...new Float32Array(images, at * 256, 64)].map((one) => Math.round(one * 16));
const labels = fs.readFileSync(source('tasks/digits/labels.u8'));

async function withDigits(options, use) {
  const runtime = new Runtime(options);
  try {
    await runtime.openTask(data('digits.fpk'));
    await use(runtime);
  } finally {
    await runtime.close();
  }
}
function show(runtime, at) {
  runtime.send({id: 'page_enter', page: 'scan'});
  runtime.send({id: 'image', page: 'scan', data: {image: at, pixels: pixels(at)}});
}

test('events in, results out: callback and iterator', async () => {
  const called = [];
  await withDigits({threads: 1, onResult: (result) => called.push(result)}, async (runtime) => {
    const results = runtime.results();
    for (let i = 0; i < 5; ++i) show(runtime, i);
    let count = 0;
    for await (const {package: name, result} of results) {
      assert.strictEqual(name, 'digits');
      assert.strictEqual(result.digit, labels[result.image]);
      if (++count === 5) break;
    }
    assert.deepStrictEqual(await results.next(), {value: undefined, done: true});
    await runtime.flush();
    assert.strictEqual((await runtime.status()).tasks.digits.inferences >= 5, true);
  });
  assert.strictEqual(called.length, 5);
});

test('closing delivers what was sent and ends iterators', async () => {
  const runtime = new Runtime();
  await runtime.openTask(data('digits.fpk'));
  const seen = (async () => {
    let count = 0;
    for await (const result of runtime.results()) count += result.result ? 1 : 0;
    return count;
  })();
  for (let i = 0; i < 3; ++i) show(runtime, i);
  await runtime.close();
  assert.strictEqual(await seen, 3);
});

test('calls of a script, models and errors of a task', async () => {
  await withDigits({}, async (runtime) => {
    const result = await runtime.call('digits', 'on_trigger', [{data: {image: 9, pixels: pixels(9)}}]);
    assert.strictEqual(result.digit, labels[9]);
    await fails('not_found', ['no_such'], () => runtime.call('digits', 'no_such'));
    await fails('script_raised', ['KeyError'], () => runtime.call('digits', 'on_trigger', [{data: {}}]));
    await fails('already_exists', ['digits'], () => runtime.openTask(data('digits.fpk')));
    const model = await runtime.model('digits:digits', {threads: 1});
    const {prob} = await model.run({image: new Float32Array(images, 9 * 256, 64)});
    assert.strictEqual(prob.data.indexOf(Math.max(...prob.data)), labels[9]);
    await fails('not_found', ['digits'], () => runtime.model('digits:other'));
    await fails('not_found', ['none.txt'], () => runtime.readFile('digits', 'none.txt'));
    const failed = runtime.results();
    runtime.send({id: 'page_enter', page: 'scan'});
    runtime.send({id: 'image', page: 'scan', data: {image: 1}});
    assert.strictEqual((await failed.next()).value.error.name, 'script_raised');
  });
});

test('tables, consent and erasure', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'ferry-node-'));
  try {
    const runtime = new Runtime({outboxPath: path.join(folder, 'outbox'), atRestKey: new Uint8Array(32).fill(7)});
    await runtime.openTask(data('rows.fpk'));
    const table = runtime.table('rows', 'seen');
    await table.put({name: 'b', count: 2});
    await table.put({name: 'a', count: 1});
    assert.deepStrictEqual(await table.get(['a']), {name: 'a', count: 1});
    assert.strictEqual(await table.get(['z']), null);
    assert.deepStrictEqual((await table.range({descending: true})).map((row) => row.name), ['b', 'a']);
    await table.delete(['b']);
    assert.deepStrictEqual((await table.range()).length, 1);
    await fails('invalid_argument', ['colour'], () => table.put({name: 'c', colour: 1}));
    assert.deepStrictEqual(Buffer.from(await runtime.readFile('rows', 'note.txt')).toString(), 'a note\n');
    await runtime.setConsent(false);
    assert.strictEqual((await runtime.eraseData()).device.table_rows, 1);
    assert.strictEqual(await table.get(['a']), null);
    await runtime.close();
    await fails('wrong_key', [], () => new Runtime({outboxPath: path.join(folder, 'outbox'), atRestKey: new Uint8Array(32)}));
  } finally {
    fs.rmSync(folder, {recursive: true});
  }
});

test('the agent starts without a server', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'ferry-node-'));
  try {
    const runtime = new Runtime();
    await fails('failed_precondition', [], () => runtime.setConditions({idle: true}));
    await fails('failed_precondition', ['agent'], () => runtime.haveText());
    await fails('failed_precondition', ['agent'], () => runtime.takeText(''));
    await fails('not_found', ['join token'], () => runtime.startAgent({directory: path.join(folder, 'state')}));
    await fails('malformed', [], () => runtime.startAgent({directory: path.join(folder, 'other'), joinToken: 'no token'}));
    await runtime.close();
  } finally {
    fs.rmSync(folder, {recursive: true});
  }
});

test('a language model: pieces, all of it, conversations, breaking off', async () => {
  const runtime = new Runtime();
  const model = await runtime.languageModel(source('tasks/pair/draft.flm'));
  const tokens = model.encode('My dear sir,');
  assert.ok(tokens instanceof Int32Array && tokens.length > 2);
  assert.equal(model.decode(tokens), 'My dear sir,');
  const ends = Int32Array.from(model.info().end_tokens);
  assert.deepEqual(model.encode(model.decode(ends)), ends);
  assert.ok(model.encode(model.decode(ends), {asText: true}).length > ends.length);
  assert.equal(model.decode(ends, {skipSpecials: true}), '');
  assert.throws(() => model.decode([1]), {message: 'ids are an Int32Array; Array is given'});
  assert.strictEqual(model.info().architecture, 'qwen3');
  const chat = model.chat({maxNew: 12, seed: 3});
  let text = '', ids = 0;
  const generation = chat.generate('My dear sir,');
  assert.strictEqual(generation.stats, null);
  await fails('failed_precondition', [], () => chat.generate('another'));
  for await (const piece of generation) {
    text += piece.text;
    ids += piece.ids.length;
    assert.strictEqual(piece.source, 'device');
  }
  assert.strictEqual(ids, generation.stats.emitted);
  assert.strictEqual(await chat.generate('My dear sir,').text(), text);
  for await (const piece of chat.generate('My dear sir,')) {
    assert.ok(text.startsWith(piece.text));
    break;
  }
  const long = model.chat({maxNew: 400, ignoreEnd: true});
  const cancelled = long.generate('My');
  cancelled.cancel();
  await fails('cancelled', [], () => cancelled.text());
  const answer = await chat.say('Good day.').text();
  await new Promise(setImmediate);
  assert.deepStrictEqual(chat.messages, [{role: 'user', content: 'Good day.'}, {role: 'assistant', content: answer}]);
  assert.ok((await chat.generate(new Int32Array([5, 6, 7])).text()).length > 0);
  await fails('failed_precondition', [], () => model.chat({mode: 'split'}).generate('x'));
  await fails('invalid_argument', ['mode'], () => model.chat({mode: 'none'}));
  await fails('invalid_argument', ['Int32Array'], () => chat.generate(5));
  await fails('not_found', ['none.fla'], () => model.adapter('none.fla'));
  const open = long.generate('My');
  long.close();
  await fails('cancelled', ['closed'], () => open.text());
  await fails('invalid_argument', ['closed'], () => long.generate('x'));
  await runtime.close();
});

test('streams and policies', () => {
  const stream = new Stream([{name: 'big', source: 'x', operators: [{op: 'filter', where: 'a > 1'}], app: true}]);
  stream.send('x', {a: 1});
  stream.send('x', {a: 2, time_ms: 5});
  stream.sendEvent({id: 'x', time_ms: 6, data: {a: 3}});
  stream.advance();
  assert.deepStrictEqual(stream.read().map(({stream: name, row}) => [name, row.a]), [['big', 2], ['big', 3]]);
  assert.strictEqual(stream.status().big.rows_in, 3);
  assert.deepStrictEqual(Policy.matches('os == "linux"', {os: 'linux'}), {matches: true, reason: null});
  assert.match(Policy.matches('os == "linux"', {os: 'mac'}).reason, /linux/);
});
