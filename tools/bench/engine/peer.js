// ONNX Runtime's side of `tools/dev bench engine`: makes inputs, times runs, compares outputs.
//   node peer.js base                              peak memory of the process without a model
//   node peer.js inputs MODEL DIR                  one .npy an input, DIR/inputs.json lists them
//   node peer.js time MODEL DIR THREADS SECONDS    times on those inputs
//   node peer.js load MODEL THREADS                opens it
//   node peer.js compare MODEL DIR OURS.json       outputs against .npy files, {name: {file}}
// Prints one line of JSON. Free dimensions are 1.
'use strict';
const fs = require('fs');
const path = require('path');
const ort = require('onnxruntime-node');

const DTYPES = {
  float32: ['<f4', Float32Array], float64: ['<f8', Float64Array], int64: ['<i8', BigInt64Array],
  int32: ['<i4', Int32Array], int8: ['|i1', Int8Array], uint8: ['|u1', Uint8Array],
  bool: ['|b1', Uint8Array],
};

// Mulberry32: the same numbers on every machine.
function random(seed) {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

// Whole numbers are ids or masks: 1 for masks, 0 for kinds of tokens, else small ones, which any
// vocabulary has.
function wholeNumber(name, next) {
  if (/mask|length/i.test(name)) return 1;
  if (/type|segment/i.test(name)) return 0;
  return Math.floor(next() * 16);
}

function makeInput(meta, seed) {
  const dims = meta.shape.map((d) => (typeof d === 'number' && d > 0 ? d : 1));
  const count = dims.reduce((a, b) => a * b, 1);
  if (!(meta.type in DTYPES)) throw new Error(`input ${meta.name} is of type ${meta.type}`);
  const data = new DTYPES[meta.type][1](count);
  const next = random(seed);
  for (let i = 0; i < count; ++i) {
    if (meta.type.startsWith('float')) data[i] = next() * 2 - 1;
    else if (meta.type === 'int64') data[i] = BigInt(wholeNumber(meta.name, next));
    else data[i] = wholeNumber(meta.name, next);
  }
  return {type: meta.type, dims, data};
}

function writeNpy(file, {type, dims, data}) {
  const shape = dims.length === 1 ? `(${dims[0]},)` : `(${dims.join(', ')})`;
  let header = `{'descr': '${DTYPES[type][0]}', 'fortran_order': False, 'shape': ${shape}, }`;
  header = header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11) + '\n';
  const start = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, 0, 0]);
  start.writeUInt16LE(header.length, 8);
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  fs.writeFileSync(file, Buffer.concat([start, Buffer.from(header, 'latin1'), bytes]));
}

function readNpy(file) {
  const bytes = fs.readFileSync(file);
  const length = bytes[6] === 1 ? bytes.readUInt16LE(8) : bytes.readUInt32LE(8);
  const start = (bytes[6] === 1 ? 10 : 12) + length;
  const header = bytes.toString('latin1', 10, start);
  const descr = /'descr': *'([^']*)'/.exec(header)[1];
  const found = Object.entries(DTYPES).find(([, [code]]) => code === descr);
  if (!found) throw new Error(`${file}: elements are ${descr}`);
  const dims = /\(([^)]*)\)/.exec(header)[1].split(',').filter((d) => d.trim()).map(Number);
  const body = bytes.buffer.slice(bytes.byteOffset + start, bytes.byteOffset + bytes.length);
  return {type: found[0], dims, data: new found[1][1](body)};
}

function peakBytes() {
  const line = /VmHWM:\s*(\d+) kB/.exec(fs.readFileSync('/proc/self/status', 'latin1'));
  return Number(line[1]) * 1024;
}

async function open(model, threads) {
  const begin = process.hrtime.bigint();
  const session = await ort.InferenceSession.create(model, {
    intraOpNumThreads: threads, interOpNumThreads: 1, graphOptimizationLevel: 'all',
    logSeverityLevel: 3,
  });
  return {session, loadMs: Number(process.hrtime.bigint() - begin) / 1e6};
}

function feedsOf(dir) {
  const feeds = {};
  for (const {name, file} of JSON.parse(fs.readFileSync(path.join(dir, 'inputs.json')))) {
    const {type, dims, data} = readNpy(path.join(dir, file));
    feeds[name] = new ort.Tensor(type, data, dims);
  }
  return feeds;
}

async function inputs(model, dir) {
  const {session} = await open(model, 1);
  const list = session.inputMetadata.map((meta, i) => {
    writeNpy(path.join(dir, `input${i}.npy`), makeInput(meta, i + 1));
    return {name: meta.name, file: `input${i}.npy`};
  });
  fs.writeFileSync(path.join(dir, 'inputs.json'), JSON.stringify(list));
  return {inputs: list};
}

async function time(model, dir, threads, seconds) {
  const {session, loadMs} = await open(model, threads);
  const feeds = feedsOf(dir);
  for (let i = 0; i < 3; ++i) await session.run(feeds);
  const times = [];
  const end = process.hrtime.bigint() + BigInt(Math.round(seconds * 1e9));
  while (times.length < 10 || process.hrtime.bigint() < end) {
    const begin = process.hrtime.bigint();
    await session.run(feeds);
    times.push(Number(process.hrtime.bigint() - begin) / 1e6);
  }
  times.sort((a, b) => a - b);
  const middle = times.length >> 1;
  const median = times.length % 2 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
  return {median_ms: median, min_ms: times[0], runs: times.length, load_ms: loadMs,
          peak_bytes: peakBytes()};
}

async function compare(model, dir, list) {
  const ours = JSON.parse(fs.readFileSync(list));
  const {session} = await open(model, 1);
  const results = await session.run(feedsOf(dir));
  const outputs = session.outputNames.map((name) => {
    const theirs = results[name];
    const our = readNpy(ours[name].file);
    if (our.dims.join() !== theirs.dims.join()) {
      return {name, error: null, why: `shape ${our.dims} against ${theirs.dims}`};
    }
    let worst = 0, largest = 0;
    for (let i = 0; i < our.data.length; ++i) {
      const a = Number(our.data[i]), b = Number(theirs.data[i]);
      if (Object.is(a, b)) continue;
      const difference = Math.abs(a - b);
      worst = difference > worst || Number.isNaN(difference) ? difference : worst;
      if (Number.isNaN(worst)) break;
      largest = Math.max(largest, Math.abs(b));
    }
    return {name, error: Number.isNaN(worst) ? null : worst / Math.max(largest, 1e-30)};
  });
  return {outputs};
}

async function main([command, model, dir, ...rest]) {
  if (command === 'base') return {peak_bytes: peakBytes()};
  if (command === 'inputs') return inputs(model, dir);
  if (command === 'time') return time(model, dir, Number(rest[0]), Number(rest[1]));
  if (command === 'load') return {load_ms: (await open(model, Number(dir))).loadMs};
  if (command === 'compare') return compare(model, dir, rest[0]);
  throw new Error(`unknown command ${command}`);
}

main(process.argv.slice(2)).then(
    (result) => console.log(JSON.stringify(result)),
    (error) => {
      console.log(JSON.stringify({error: String(error)}));
      process.exitCode = 1;
    });
