'use strict';
// Whether anything is copied, and whether memory is held.
const {spawnSync} = require('node:child_process');
const test = require('node:test');
const {assert, data} = require('./common.js');

function inChild(script) {
  const done = spawnSync(process.execPath, ['--expose-gc', '-e', script], {encoding: 'utf8', timeout: 120_000});
  assert.strictEqual(done.status, 0, done.stderr);
  return JSON.parse(done.stdout);
}

// The most memory that the process ever held, less what it held before its runs: arrays of 48 MB each, all touched before.
const PEAK = `
  const fs = require('node:fs');
  const {Model} = require('ferry');
  const status = (name) => Number(new RegExp(name + ':\\\\s+(\\\\d+)').exec(fs.readFileSync('/proc/self/status', 'utf8'))[1]) * 1024;
  const model = Model.open(${JSON.stringify(data('twice.onnx'))}, {threads: 1});
  const rows = 12 << 20;
  const x = new Float32Array(rows).fill(1), y = new Float32Array(rows).fill(1);`;

test('inputs and outputs are not copied', () => {
  const grown = inChild(`${PEAK}
    const before = status('VmRSS');
    (async () => {
      for (let i = 0; i < 2; ++i) {
        model.runSync({x}, {outputs: {y}});
        await model.run({x}, {outputs: {y}});
      }
      if (y[rows - 1] !== 2) throw new Error('it did not run');
      console.log(status('VmHWM') - before);
    })();`);
  assert.ok(grown < 24 << 20, `${grown} bytes more at the peak`);
});

test('outputs that the library finds memory for are not copied either', () => {
  const grown = inChild(`${PEAK}
    const before = status('VmRSS');
    const result = model.runSync({x}, {outputs: ['y']});
    if (result.y.data[rows - 1] !== 2) throw new Error('it did not run');
    console.log(status('VmHWM') - before);`);
  assert.ok(grown < 72 << 20, `${grown} bytes more at the peak, for an output of 48 MB`);
});

test('many runs hold no memory', () => {
  const grown = inChild(`
    const {Model} = require('ferry');
    const model = Model.open(${JSON.stringify(data('add.onnx'))}, {threads: 1});
    const a = new Float32Array(4), y = new Float32Array(4);
    const rss = () => { global.gc(); global.gc(); return process.memoryUsage().rss; };
    (async () => {
      const some = async (count) => {
        for (let i = 0; i < count; ++i) model.runSync({a, b: a}, {outputs: {y}});
        for (let i = 0; i < count / 10; ++i) await model.run({a, b: a}, {outputs: {y}});
      };
      await some(20_000);
      // What runs hold grows each time; V8's own heap now and then.
      const grown = [];
      for (let window = 0; window < 4; ++window) {
        const before = rss();
        await some(20_000);
        grown.push(rss() - before);
      }
      console.log(Math.min(...grown));
    })();`);
  assert.ok(grown < 1 << 20, `${grown} bytes more`);
});
