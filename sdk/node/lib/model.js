'use strict';
// Models on tensors.

const {native, KIND, fail, textOf, numberOf, wholeOf, bigOf, oneOf, describe} = require('./native.js');
const {TYPES} = require('./tensor.js');
const {Session} = require('./session.js');

const PRECISIONS = ['default', 'exact', 'fast'];

function sessionArguments(options = {}) {
  return [wholeOf(options.threads, 'threads'), oneOf(options.precision, PRECISIONS, 'precision'), options.isa,
          options.backends, wholeOf(options.memoryBytes, 'memoryBytes'), Boolean(options.profile),
          options.tuneFile, Boolean(options.tune), bigOf(options.seed, 'seed')];
}

// The addon's function that opens `source`, with its arguments.
function opening(source, options = {}) {
  const verify = Boolean(options?.verify);
  if (typeof source === 'string' || source instanceof URL) return ['engineOpen', textOf(source, 'path'), verify];
  if (source instanceof ArrayBuffer) return ['engineOpenMemory', new Uint8Array(source), verify];
  if (ArrayBuffer.isView(source)) {
    return ['engineOpenMemory', new Uint8Array(source.buffer, source.byteOffset, source.byteLength), verify];
  }
  if (source !== null && typeof source === 'object' && 'descriptor' in source) {
    return ['engineOpenDescriptor', wholeOf(source.descriptor, 'descriptor'), wholeOf(source.offset, 'offset'),
            wholeOf(source.length, 'length'), verify];
  }
  throw fail('invalid_argument',
             `a model is opened from a path, bytes or {descriptor, offset, length}; ${describe(source)} is given`);
}

function describeIo(io) {
  return {name: io.name, type: TYPES[io.type]?.name ?? '', kind: io.kind || 'tensor',
          shape: io.rank < 0 ? null : io.shape.map((extent, i) => (extent < 0 ? io.symbols[i] || null : extent)),
          scale: io.scale, zeroPoint: io.zeroPoint};
}

const KEY = Symbol('made by ferry');

class Model {
  #handle;
  #inputs;
  #outputs;
  #session;

  constructor(key, handle, options, session) {
    if (key !== KEY) throw new TypeError('a model is made by Model.open');
    this.#handle = handle;
    this.#inputs = native.engineInputs(handle);
    this.#outputs = native.engineOutputs(handle);
    this.#session = new Session(session ?? native.sessionCreate(handle, ...sessionArguments(options), false),
                                this.#inputs, this.#outputs);
  }

  // From a path, the file's bytes, or {descriptor, offset, length}.
  static open(source, options) {
    const [open, ...rest] = opening(source, options);
    return new Model(KEY, native[open](...rest, false), options);
  }
  // The same, read on another thread.
  static async openAsync(source, options) {
    const [open, ...rest] = opening(source, options);
    const settings = sessionArguments(options);
    const handle = await native[open](...rest, true);
    return new Model(KEY, handle, options, await native.sessionCreate(handle, ...settings, true));
  }
  // Of a task: for Runtime.model.
  static async ofPackage(key, runtime, name, options) {
    if (key !== KEY) throw new TypeError('a model of a package is made by Runtime.model');
    const handle = await native.engineOpenPackage(runtime, textOf(name, 'name'), Boolean(options?.verify), true);
    return new Model(KEY, handle, options);
  }
  // Instruction sets that this machine runs, the slowest first.
  static isas() {
    return JSON.parse(native.engineIsas());
  }

  get inputs() {
    return this.#inputs.map(describeIo);
  }
  get outputs() {
    return this.#outputs.map(describeIo);
  }
  info() {
    return JSON.parse(native.engineInfo(this.#handle));
  }

  run(inputs, options) {
    return this.#session.run(inputs, options);
  }
  runSync(inputs, options) {
    return this.#session.runSync(inputs, options);
  }
  resize(inputs) {
    return this.#session.resize(inputs);
  }
  profile() {
    return this.#session.profile();
  }
  // Another runner of the same weights.
  session(options) {
    return new Session(native.sessionCreate(this.#handle, ...sessionArguments(options), false), this.#inputs,
                       this.#outputs);
  }
  // Sessions of model.session() live on.
  close() {
    this.#session.close();
    native.close(this.#handle, KIND.ENGINE);
  }
}

module.exports = {Model, MODEL_KEY: KEY};
