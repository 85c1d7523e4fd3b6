'use strict';
// What a run through this package costs above a run in C.
//
// usage: NODE_PATH=.. node --expose-gc run.js MODEL PROGRAM [--quick]
//   MODEL is what `ferry-sdk-bench model MODEL` writes, PROGRAM that program
//
// Prints {"overhead_us", "async_overhead_us", "grown_bytes", ..} as JSON. Rounds of C and of this language are interleaved;
// a figure is the median of its rounds.
const {execFileSync} = require('node:child_process');
const {Model} = require('ferry');

const [modelPath, program, quick] = process.argv.slice(2);
const ROUNDS = quick ? 3 : 11, RUNS = quick ? 4_000 : 20_000, MANY = quick ? 20_000 : 100_000;
const model = Model.open(modelPath, {threads: 1});
const inputs = {};
for (const {name, shape} of model.inputs) inputs[name] = {type: 'f32', shape, data: new Float32Array(4).fill(3)};
const output = model.outputs[0].name;
const own = {outputs: {[output]: new Float32Array(4)}};

function median(values) {
  return values.sort((a, b) => a - b)[values.length >> 1];
}
function microseconds(runs, options) {
  const start = process.hrtime.bigint();
  for (let i = 0; i < runs; ++i) model.runSync(inputs, options);
  return Number(process.hrtime.bigint() - start) / 1000 / runs;
}
async function asyncMicroseconds(runs) {
  const start = process.hrtime.bigint();
  for (let i = 0; i < runs; ++i) await model.run(inputs);
  return Number(process.hrtime.bigint() - start) / 1000 / runs;
}
// Of the process, when nothing waits to be collected.
function resident() {
  for (let i = 0; i < 4; ++i) global.gc?.();
  return process.memoryUsage().rss;
}

async function main() {
  const c = [], sync = [], into = [], promised = [];
  microseconds(RUNS);
  microseconds(RUNS, own);
  for (let round = 0; round < ROUNDS; ++round) {
    c.push(JSON.parse(execFileSync(program, ['run'])).c_us);
    sync.push(microseconds(RUNS));
    into.push(microseconds(RUNS, own));
    promised.push(await asyncMicroseconds(RUNS));
  }
  // The least of a few: what runs hold grows each time, V8's own heap now and then.
  const grown = [], freshGrown = [];
  for (let window = 0; window < 3; ++window) {
    const before = resident();
    microseconds(MANY, own);
    const between = resident();
    await asyncMicroseconds(MANY);
    grown.push(between - before);
    freshGrown.push(resident() - between);
  }
  const base = median(c);
  console.log(JSON.stringify({overhead_us: median(into) - base, fresh_overhead_us: median(sync) - base,
                              async_overhead_us: median(promised) - base, c_us: base, grown_bytes: Math.min(...grown),
                              fresh_grown_bytes: Math.min(...freshGrown)}));
  if (model.runSync(inputs)[output].data[3] !== 6) throw new Error('the sum is wrong');
}
main();
