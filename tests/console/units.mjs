// The parts of the console that need no page: the stream of events in a time of its own, evidence and counts, routes, texts.
import assert from 'node:assert/strict';
import {createRequire} from 'node:module';
import test from 'node:test';
import {fileURLToPath} from 'node:url';

const root = fileURLToPath(new URL('../../cloud-server/console/', import.meta.url));
const {build} = createRequire(`${root}package.json`)('esbuild');

globalThis.window = globalThis;
globalThis.location = {hash: ''};
globalThis.addEventListener ??= () => {};
async function load(name) {
  const {outputFiles} = await build({absWorkingDir: root, entryPoints: [`source/${name}`], bundle: true, write: false, format: 'esm', platform: 'neutral', mainFields: ['module', 'main'], jsx: 'automatic', jsxImportSource: 'preact', logLevel: 'error'});
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}
const {LiveStream, EventReader, merged, mergedEvents} = await load('live/stream.ts');
const release = await load('release.ts');
const route = await load('route.ts');
const text = await load('parts/text.tsx');

// A server and a clock that the test moves.
function world(answers) {
  const it = {now: 0, timers: new Map(), next: 1, asked: [], told: [], states: []};
  it.env = {
    fetch: async (path, headers) => { it.asked.push([it.now, path, headers]); const answer = answers(path, it); if (answer instanceof Error) throw answer; return answer; },
    setTimeout: (work, ms) => { it.timers.set(it.next, {at: it.now + ms, work}); return it.next++; },
    clearTimeout: (id) => it.timers.delete(id),
    random: () => 0,
  };
  it.to = {event: (kind, value) => it.told.push([kind, value]), connection: (state) => it.states.push(state)};
  it.run = async (ms) => {
    const end = it.now + ms;
    for (;;) {
      for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve));
      const due = [...it.timers].filter(([, timer]) => timer.at <= end).sort((a, b) => a[1].at - b[1].at)[0];
      if (!due) break;
      it.timers.delete(due[0]);
      it.now = due[1].at;
      due[1].work();
    }
    it.now = end;
  };
  return it;
}
const streamOf = (...pieces) => new Response(new ReadableStream({start(control) { for (const piece of pieces) control.enqueue(new TextEncoder().encode(piece)); control.close(); }}));

test('pieces of events come together however they are cut', () => {
  const whole = 'id: 7\r\nevent: release\r\ndata: {"a":\r\ndata: 1}\r\n\r\n: a comment\n\nevent: status\ndata: {}\n\n';
  for (const size of [1, 2, 3, 7, whole.length]) {
    const seen = [];
    const reader = new EventReader((kind, data) => seen.push([kind, JSON.parse(data)]));
    for (let i = 0; i < whole.length; i += size) reader.push(whole.slice(i, i + size));
    assert.deepEqual(seen, [['release', {a: 1}], ['status', {}]], `pieces of ${size}`);
    assert.equal(reader.lastId, '7');
  }
});

test('a stream that fails comes back after 1, 2, 4 .. 30 s, and asks for the status from the third failure on', async () => {
  const it = world((path) => path === '/api/v1/status' ? Response.json({version: '1'}) : new Response('', {status: 503}));
  const stream = new LiveStream(it.env, it.to);
  stream.start({});
  await it.run(200_000);
  const live = it.asked.filter(([, path]) => path === '/api/v1/live').map(([at]) => at);
  assert.deepEqual(live.slice(0, 8), [0, 1_000, 3_000, 7_000, 15_000, 31_000, 61_000, 91_000]);
  const polls = it.asked.filter(([, path]) => path === '/api/v1/status').map(([at]) => at);
  assert.deepEqual(polls.slice(0, 3), [3_000, 13_000, 23_000]);
  assert.deepEqual(it.states.slice(0, 4), ['connecting', 'waiting', 'waiting', 'polling']);
  assert.ok(it.told.some(([kind]) => kind === 'reset'), 'pages read anew');
  stream.stop();
  const before = it.asked.length;
  await it.run(100_000);
  assert.equal(it.asked.length, before, 'it asks on after its end');
});

test('a server that is gone is "lost"; back, pages read anew once', async () => {
  let up = false;
  const it = world(() => up ? streamOf('event: status\ndata: {"version":"1"}\n\n') : new Error('refused'));
  const stream = new LiveStream(it.env, it.to);
  stream.start({});
  await it.run(20_000);
  assert.equal(it.states.at(-1), 'lost');
  up = true;
  it.told.length = 0;
  await it.run(12_000);
  assert.ok(it.states.includes('live'));
  assert.equal(it.told[0][0], 'reset');
  stream.stop();
});

test('numbered events are asked for from the last one on', async () => {
  const it = world(() => streamOf('id: 41\nevent: status\ndata: {}\n\n', 'id: 42\nevent: status\ndata: {}\n\n'));
  const stream = new LiveStream(it.env, it.to);
  stream.start({Authorization: 'Bearer x'});
  await it.run(1_500);
  assert.equal(it.asked[0][2]['Last-Event-ID'], undefined);
  assert.equal(it.asked[1][2]['Last-Event-ID'], '42');
  assert.equal(it.asked[1][2].Authorization, 'Bearer x');
  assert.equal(it.told.filter(([kind]) => kind === 'reset').length, 0, 'the server says itself what was missed');
  stream.stop();
});

test('a session that ended ends the stream', async () => {
  const it = world(() => new Response('', {status: 401}));
  new LiveStream(it.env, it.to).start({});
  await it.run(100_000);
  assert.equal(it.asked.length, 1);
  assert.deepEqual(it.states, ['connecting', 'signed-out']);
});

test('events that tell differences are put together', () => {
  const events = (...seqs) => seqs.map((seq) => ({seq}));
  assert.deepEqual(merged(undefined, {id: 'a', x: null}), {id: 'a', x: null});
  const whole = merged(undefined, {whole: true, id: 'a', reason: 'r', rate: {a: 1}, events: events(1, 2)});
  const next = merged(whole, {id: 'a', state: 'full', rate: null, events: events(3)});
  assert.deepEqual(next, {whole: true, id: 'a', reason: 'r', state: 'full', events: events(1, 2, 3)});
  assert.deepEqual(merged(next, {whole: true, id: 'a', events: events(3, 4)}), {whole: true, id: 'a', events: events(1, 2, 3, 4)});
  assert.deepEqual(mergedEvents(events(1, 2), undefined), events(1, 2));
});

const gate = (evidence, threshold, stop = false, more = {}) => ({stage: '', metric: 'failure', slice: 's', decision: '', devices: 1, failed: 0, healthy: 1, pending: 0, control: 0, evidence, threshold, stop, ...more});

test('evidence is a share of the way to its own line, on a log scale', () => {
  assert.equal(release.wayToStop(gate(0.2, 100)), 0);
  assert.equal(release.wayToStop(gate(10, 100)), 0.5);
  assert.equal(release.wayToStop(gate(100, 100, true)), 1);
  assert.ok(release.wayToStop(gate(5000, 100)) < 1, 'what the server does not stop stays under the line');
  const order = release.worstFirst([gate(1, 100, false, {slice: 'a'}), gate(50, 1e6, false, {slice: 'b'}), gate(20, 100, false, {slice: 'c'}), gate(2, 1, true, {slice: 'd'})]);
  assert.deepEqual(order.map((item) => item.slice), ['d', 'c', 'b', 'a']);
  assert.deepEqual(release.nearLimit([gate(9, 100), gate(11, 100)]).map((item) => item.evidence), [11]);
});

test('parts of the devices are never more than the devices, whatever the counts', () => {
  for (const counts of [{members: 6, healthy: 6, failed: 0, back: 0}, {members: 5, healthy: 4, failed: 1, back: 5, returned: 5}, {members: 3, healthy: 9, failed: 2, overdue: 4, back: 0, returned: 7},
    {members: 0, healthy: 0, failed: 0, back: 0}]) {
    const all = release.parts(counts);
    assert.equal(all.reduce((sum, part) => sum + part.count, 0), counts.members);
    assert.ok(all.every((part) => part.count >= 0));
  }
  assert.equal(release.parts({members: 3, healthy: 3, failed: 0, back: 3, returned: 3})[0].count, 0, 'who went back is not healthy');
});

test('a stage that was taken back, stopped or held is not shown as passed', () => {
  const stage = (index, more = {}) => ({index, kind: 'gray', entered_ms: 1, left_ms: index === 0 ? 2 : 0, planned: 5, members: 6, ...more});
  const of = (state, more = {}) => ({state, stage: 1, stages: [stage(0), stage(1, more), stage(2, {entered_ms: 0})]});
  const marks = (it) => it.stages.map((one) => release.stageMark(it, one));
  assert.deepEqual(marks(of('gray')), ['done', 'now', 'ahead']);
  assert.deepEqual(marks(of('gray', {hold: true})), ['done', 'held', 'ahead']);
  assert.deepEqual(marks(of('gray', {hold: true, approved: true})), ['done', 'now', 'ahead']);
  assert.deepEqual(marks(of('rolled_back')), ['back', 'back', 'never']);
  assert.deepEqual(marks(of('stopped')), ['done', 'stopped', 'never']);
  assert.deepEqual(marks(of('paused')), ['done', 'paused', 'ahead']);
  assert.deepEqual(marks(of('complete')), ['done', 'done', 'never']);
  assert.equal(release.stageCount(stage(1)), '6 devices, 1 joined since');
  assert.equal(release.stageCount(stage(1, {members: 1})), '1 of 5 devices');
});

test('the interval of a rate is that of Wilson', () => {
  const [low, high] = release.interval(1, 10);
  assert.ok(Math.abs(low - 0.0179) < 0.001 && Math.abs(high - 0.4042) < 0.001, `${low} ${high}`);
  assert.deepEqual(release.interval(0, 0), [0, 1]);
});

test('routes hold any text', () => {
  const odd = 'a/b?c=d&e#% "é';
  const link = route.linkTo(['fleet', odd], {filter: odd, sort: undefined});
  const back = route.parseRoute(link);
  assert.deepEqual(back.path, ['fleet', odd]);
  assert.deepEqual([...back.query], [['filter', odd]]);
  assert.deepEqual(route.parseRoute('#/a/%E0%A4%A').path, ['a', '%E0%A4%A']);
});

test('times name their zone; shares never round to all or nothing', () => {
  assert.equal(text.timeText(Date.UTC(2026, 0, 2, 3, 4, 5)), '2026-01-02 03:04:05 UTC');
  assert.equal(text.shareText(1, 100_000), 'under 0.1 %');
  assert.equal(text.shareText(99_999, 100_000), 'over 99.9 %');
  assert.equal(text.shareText(5, 0), '0 %');
  assert.equal(text.bytesText(1536), '1.5 KiB');
  assert.equal(text.shortId('0123456789abcdef0123'), '0123456789ab');
  assert.equal(text.shortId('digits-4.0.0-3'), 'digits-4.0.0-3');
  assert.equal(text.gist('package sums: task.py:2: expected )\n  return (\n         ^\n'), 'package sums: task.py:2: expected )');
  assert.equal(text.gist('Traceback:\n  task.py, line 3\nZeroDivisionError: division by zero\n'), 'ZeroDivisionError: division by zero');
});

const trial = await load('pages/tasks/trial.ts');
test('the place of an error is the last one in a script of the draft', () => {
  const text = 'Traceback (most recent call last):\n  File "task.py", line 4, in on_trigger\n  File "lib/helper.py", line 9, in f\nValueError: x';
  assert.deepEqual(trial.placeOf(text, ['task.py', 'lib/helper.py']), {file: 'lib/helper.py', line: 9});
  assert.deepEqual(trial.placeOf(text, ['task.py']), {file: 'task.py', line: 4});
  assert.deepEqual(trial.placeOf('digits 1.0.0/task.py:7: bad', ['task.py']), {file: 'task.py', line: 7});
  assert.equal(trial.placeOf('no place', ['task.py']), undefined);
});
test('cases that expect nothing take anything, and what is no case is told with its place', () => {
  const {cases} = trial.readCases('[{"events": []}, {"events": [], "expect": null}]');
  assert.deepEqual(cases, [{events: [], any: true}, {events: [], expect: null}]);
  assert.match(trial.readCases('{}').wrong.text, /list of cases/);
  assert.match(trial.readCases('[{"events": []}, {}]').wrong.text, /Case 2/);
  assert.equal(trial.readCases('[\n  {"events": [}\n]').wrong.line, 2);
  assert.equal(trial.nextVersion('1.2.9'), '1.2.10');
  assert.equal(trial.nextVersion('1.2.9-rc1'), '1.2.10');
});

const {linesOf} = await load('pages/versions.tsx');
test('versions over days: those of most devices, and the rest as one line that adds up', () => {
  const days = [{day: '2026-11-25', devices: 9, packages: {p: {a: 9}}}, {day: '2026-11-26', devices: 21, packages: {p: {a: 1, b: 2, c: 3, d: 4, e: 5, f: 6}}}];
  const lines = linesOf(days, 'p');
  assert.deepEqual(lines.map((line) => line.name), ['f', 'e', 'd', 'c', '2 others']);
  assert.deepEqual(lines.map((line) => line.values), [[0, 6], [0, 5], [0, 4], [0, 3], [9, 3]]);
  assert.deepEqual(linesOf(days, 'q'), []);
});

const {placeOfJsonError} = await load('json_place.ts');
test('the place where a text stops being JSON: wherever a good one is cut or spoilt', () => {
  const good = JSON.stringify([{a: [1, -2.5e3, true, null, 'x\u00e9\\"'], b: {}, c: []}, 0], null, 1);
  assert.equal(placeOfJsonError(good), undefined);
  for (let end = 0; end < good.length; ++end) {
    const cut = good.slice(0, end);
    assert.throws(() => JSON.parse(cut));
    assert.ok(placeOfJsonError(cut), cut);
    const spoilt = `${cut}\u0001${good.slice(end)}`;
    const place = placeOfJsonError(spoilt), lines = cut.split('\n');
    assert.ok(place && (place.line < lines.length || (place.line === lines.length && place.column <= lines.at(-1).length + 1)), spoilt);
  }
  assert.deepEqual(placeOfJsonError('[\n {"a": [}\n]'), {line: 2, column: 9});
});
