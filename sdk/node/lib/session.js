'use strict';
// A session: runs of a model, one behind another.

const {native, KIND, receive, forget, hold, release, fail, failure, describe} = require('./native.js');
const {STRING, TYPES, typeOf, arrayOf, lengthOf, newArray, arrayOver} = require('./tensor.js');

// Of src/run.h: numbers of a tensor in the cells, and where an output goes.
const CELLS = 12, RANK = 1, SHAPE = 2, BYTES = 10, PLACE = 11;
const NONE = 0, GIVEN = 1, ASK = 2, SESSION = 3;
const MOST_RANK = 8;

// A run that takes less than handing it to a thread and back, which holds the event loop longer, is made in place. Whether
// it does is tried when one has come back from the thread soon, and given up when a few take longer.
const SOON_MS = 1, IN_PLACE_MS = 0.02, FEW = 3;

function shapeText(io) {
  return io.rank < 0 ? 'any shape' : `[${io.shape.map((n, i) => (n < 0 ? io.symbols[i] || '?' : n)).join(', ')}]`;
}

// The shape of `length` elements for what the model declares, where it leaves one extent open at most.
function inferShape(io, length, what) {
  if (io.rank < 0) return [length];
  const free = io.shape.indexOf(-1);
  if (free < 0) return io.shape;
  let rest = 1;
  for (let i = 0; i < io.rank; ++i) if (i !== free) rest *= io.shape[i];
  if (io.shape.indexOf(-1, free + 1) < 0 && rest > 0 && length % rest === 0)
    return io.shape.with?.(free, length / rest) ?? io.shape.map((n, i) => (i === free ? length / rest : n));
  throw fail('shape_mismatch', `${what}: give it as {shape, data}: ${length} elements do not tell ${shapeText(io)}`);
}

function namesOf(infos) {
  return infos.map((io) => `'${io.name}'`).join(', ');
}

class Session {
  #handle;
  #inputs;
  #outputs;
  #cells;
  #given;           // data of inputs and of outputs, in the model's order
  #results;
  #known;           // of each output, whether its cells say what the inputs' cells give
  #dynamic = null;  // whether shapes depend on values of the run; null: not known yet
  #pace = 'unknown';  // of these shapes: 'unknown', 'soon' or 'slow'
  #late = 0;         // runs in place that took too long, in a row
  #queue = [];
  #job = null;      // the run under way

  constructor(handle, inputs, outputs) {
    this.#handle = handle;
    this.#inputs = inputs;
    this.#outputs = outputs;
    this.#cells = new Float64Array(new ArrayBuffer((inputs.length + outputs.length) * CELLS * 8));
    this.#given = new Array(inputs.length).fill(undefined);
    this.#results = new Array(outputs.length).fill(undefined);
    this.#known = new Array(outputs.length).fill(false);
    native.sessionCells(handle, this.#cells);
    if (inputs.every((io) => io.rank >= 0)) this.#dynamic = !this.info().is_static;
  }

  // A run on its own thread of the library. Arrays that it reads or writes must stay as they are until it is over.
  run(inputs, options) {
    return new Promise((resolve, reject) => {
      if (this.#pace === 'soon' && this.#job === null && options?.signal === undefined) {
        const results = this.#runInPlace(inputs, options);
        if (results !== null) return resolve(results);
      }
      const job = {inputs, options, resolve, reject, signal: options?.signal, abort: null, cancelled: false,
                   start: performance.now()};
      if (job.signal !== undefined && !this.#listen(job)) return;
      if (this.#job !== null) this.#queue.push(job);
      else this.#start(job);
    });
  }

  // The same on this thread.
  runSync(inputs, options) {
    if (this.#job !== null) {
      throw fail('failed_precondition',
                 'session runs in another call: wait for it, or use a session each (model.session())');
    }
    this.#bind(inputs, options);
    for (;;) {
      if (native.run(this.#handle, this.#given, this.#results)) return this.#collect(options);
      this.#answer(options);
    }
  }

  // Plans for these inputs, so that the first run does not.
  async resize(inputs) {
    if (this.#job !== null) throw fail('failed_precondition', 'session runs in another call');
    this.#bind(inputs, undefined);
    return native.sessionResize(this.#handle, true);
  }

  cancel() {
    // Between a run that asked for room and the one that has it, the library knows of none.
    if (this.#job !== null) this.#job.cancelled = true;
    native.sessionCancel(this.#handle);
  }
  info() {
    return JSON.parse(native.sessionInfo(this.#handle));
  }
  profile() {
    return JSON.parse(native.sessionProfile(this.#handle));
  }
  close() {
    if (this.#job !== null) this.#job.cancelled = true;
    for (const job of this.#queue.splice(0)) this.#settle(job, fail('cancelled', 'the session was closed'));
    native.close(this.#handle, KIND.ENGINE_SESSION);
  }

  // Null when it has to be made elsewhere: with other shapes than before.
  #runInPlace(inputs, options) {
    this.#bind(inputs, options);
    if (this.#pace !== 'soon') return null;
    const start = performance.now();
    if (!native.run(this.#handle, this.#given, this.#results)) {
      this.#answer(options);
      return null;
    }
    this.#late = performance.now() - start > IN_PLACE_MS ? this.#late + 1 : 0;
    if (this.#late >= FEW) this.#pace = 'slow';
    return this.#collect(options);
  }

  // False when the run is over before it began.
  #listen(job) {
    if (job.signal.aborted) {
      job.reject(fail('cancelled', 'the run was aborted before it began'));
      return false;
    }
    job.abort = () => {
      const place = this.#queue.indexOf(job);
      if (place < 0) return this.cancel();
      this.#queue.splice(place, 1);
      this.#settle(job, fail('cancelled', 'the run was aborted before it began'));
    };
    job.signal.addEventListener('abort', job.abort);
    return true;
  }

  #settle(job, error, value) {
    if (job.abort !== null) job.signal.removeEventListener('abort', job.abort);
    if (error) job.reject(error);
    else job.resolve(value);
  }

  #start(job) {
    this.#job = job;
    try {
      this.#bind(job.inputs, job.options);
      for (const data of this.#given) refuseResizable(data);
      for (const data of this.#results) refuseResizable(data);
      this.#hand(job);
    } catch (error) {
      this.#end(job, error);
    }
  }

  // Gives the bound run to the library's thread.
  #hand(job) {
    const number = receive((kind, code, text) => {
      forget(number);
      release(this);
      this.#done(job, code, text);
    });
    try {
      native.runStart(this.#handle, this.#given, this.#results, number);
    } catch (error) {
      forget(number);
      throw error;
    }
    hold(this);
  }

  #done(job, code, text) {
    try {
      const done = native.runFinish(this.#handle, this.#results, code);
      if (done) {
        if (this.#pace === 'unknown' && performance.now() - job.start < SOON_MS) this.#pace = 'soon';
        return this.#end(job, null, this.#collect(job.options));
      }
      if (done === undefined || job.cancelled) throw failure(code, text);
      this.#answer(job.options);
      this.#hand(job);
    } catch (error) {
      this.#end(job, job.cancelled ? fail('cancelled', 'the run was cancelled') : error);
    }
  }

  #end(job, error, value) {
    this.#job = null;
    this.#settle(job, error, value);
    const next = this.#queue.shift();
    if (next !== undefined) this.#start(next);
  }

  // Inputs and outputs of a run to the cells and lists.
  #bind(inputs, options) {
    if (inputs === null || typeof inputs !== 'object')
      throw fail('invalid_argument', `inputs are {name: {shape, data}}, ${describe(inputs)} is given`);
    const infos = this.#inputs;
    for (let i = 0; i < infos.length; ++i) {
      const value = inputs[infos[i].name];
      if (value === undefined || value === null) {
        this.#refuseUnknown(inputs);
        throw fail('invalid_argument', `input '${infos[i].name}' is missing`);
      }
      this.#bindInput(i, infos[i], value);
    }
    let count = 0;
    for (const name in inputs) ++count;
    if (count !== infos.length) this.#refuseUnknown(inputs);
    this.#place(options?.outputs);
  }

  #refuseUnknown(inputs) {
    for (const name in inputs) {
      if (this.#inputs.some((io) => io.name === name)) continue;
      throw fail('invalid_argument', `the model has no input '${name}'; it has ${namesOf(this.#inputs)}`);
    }
  }

  #bindInput(i, io, value) {
    const plain = ArrayBuffer.isView(value) || Array.isArray(value);
    const declared = TYPES[io.type];
    const type = plain ? declared : typeOf(value.type, declared, `input '${io.name}'`);
    const data = arrayOf(plain ? value : value.data, type, `input '${io.name}'`);
    let shape = plain ? undefined : value.shape;
    if (shape === undefined) shape = inferShape(io, lengthOf(data, type), `input '${io.name}'`);
    else if (!Array.isArray(shape) || shape.length > MOST_RANK) throw this.#badShape(io, shape);
    this.#given[i] = data;
    this.#write(i * CELLS, type.number);
    this.#write(i * CELLS + RANK, shape.length);
    for (let axis = 0; axis < shape.length; ++axis) {
      const extent = shape[axis];
      if (typeof extent !== 'number' || !(extent >= 0) || !Number.isSafeInteger(extent)) throw this.#badShape(io, shape);
      this.#write(i * CELLS + SHAPE + axis, extent);
    }
  }
  #badShape(io, shape) {
    const text = Array.isArray(shape) ? `[${shape.join(', ')}]` : describe(shape);
    return fail('shape_mismatch',
                `input '${io.name}': a shape is a list of up to ${MOST_RANK} whole numbers, ${text} is given`);
  }

  #write(at, number) {
    if (this.#cells[at] === number) return;
    this.#cells[at] = number;
    this.#known.fill(false);
    this.#pace = 'unknown';
    this.#late = 0;
  }

  // Where each output goes: `wanted` is a list of names, {name: array or nothing}, or undefined for all.
  #place(wanted) {
    const list = Array.isArray(wanted);
    const infos = this.#outputs;
    let count = 0;
    for (let i = 0; i < infos.length; ++i) {
      const at = (this.#inputs.length + i) * CELLS;
      const name = infos[i].name;
      const is_wanted = wanted === undefined || wanted === null || (list ? wanted.includes(name) : name in wanted);
      const given = is_wanted && wanted && !list ? wanted[name] : undefined;
      count += is_wanted ? 1 : 0;
      this.#results[i] = undefined;
      let place = NONE;
      if (is_wanted && given !== undefined && given !== null) {
        place = GIVEN;
        this.#results[i] = memoryOf(given, TYPES[infos[i].type], `output '${name}'`);
      } else if (is_wanted) {
        place = this.#placeOf(i, at);
      }
      this.#cells[at + PLACE] = place;
    }
    if (wanted && count !== (list ? wanted : Object.keys(wanted)).length) this.#refuseUnknownOutputs(wanted);
  }
  // Of an output that this session finds memory for.
  #placeOf(i, at) {
    if (this.#dynamic || this.#outputs[i].type === STRING) return SESSION;
    if (!this.#known[i]) return ASK;
    this.#results[i] = newArray(TYPES[this.#cells[at]], this.#cells[at + BYTES]);
    return GIVEN;
  }
  #refuseUnknownOutputs(wanted) {
    for (const name of Array.isArray(wanted) ? wanted : Object.keys(wanted)) {
      if (this.#outputs.some((io) => io.name === name)) continue;
      throw fail('invalid_argument', `the model has no output '${name}'; it has ${namesOf(this.#outputs)}`);
    }
  }

  // A run without room has told how much it needs; a session whose shapes depend on values runs in its own memory.
  #answer(options) {
    this.#dynamic = !this.info().is_static;
    for (let i = 0; i < this.#outputs.length; ++i)
      this.#known[i] = this.#cells[(this.#inputs.length + i) * CELLS + PLACE] !== NONE;
    this.#place(options?.outputs);
  }

  // What a run that is done gave.
  #collect(options) {
    const results = {};
    for (let i = 0; i < this.#outputs.length; ++i) {
      const at = (this.#inputs.length + i) * CELLS;
      if (this.#cells[at + PLACE] === NONE) continue;
      const type = TYPES[this.#cells[at]];
      const shape = new Array(this.#cells[at + RANK]);
      for (let axis = 0; axis < shape.length; ++axis) shape[axis] = this.#cells[at + SHAPE + axis];
      let data = this.#results[i] ?? newArray(type, 0);  // none: it asked, and needs nothing
      if (this.#cells[at + PLACE] === SESSION) data = arrayOver(data, type);
      else if (data.byteLength > this.#cells[at + BYTES])
        data = data.subarray(0, this.#cells[at + BYTES] / data.BYTES_PER_ELEMENT);
      this.#results[i] = undefined;
      this.#known[i] = true;
      results[this.#outputs[i].name] = {type: type.name, shape, data};
    }
    this.#given.fill(undefined);
    return results;
  }
}

// The app's memory for an output.
function memoryOf(given, type, what) {
  if (type.number !== STRING) return arrayOf(given, type, what);
  throw fail('invalid_argument', `${what} is of texts, which the library keeps: name it alone`);
}

// Its memory may go while a thread of the library works on it.
function refuseResizable(data) {
  if (data?.buffer?.resizable !== true) return;
  throw fail('invalid_argument', 'an array over a resizable buffer: runSync takes it, run does not');
}

module.exports = {Session};
