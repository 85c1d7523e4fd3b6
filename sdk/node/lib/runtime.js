'use strict';
// The runtime: tasks, events and their results, the agent, tables, language models.

const {native, receive, forget, hold, release, fail, failure, textOf, numberOf, wholeOf, jsonOf} =
    require('./native.js');
const {Model, MODEL_KEY} = require('./model.js');
const {LanguageModel, LANGUAGE_KEY} = require('./chat.js');

const MOST_WAITING = 100_000;  // results of one iterator that nobody has taken
const FLUSH_MS = 30_000;

// Results as they come, for `for await`.
class Results {
  #listeners;
  #runtime;  // lives as long as one waits
  #waiting = [];
  #takers = [];
  #end = null;  // {error} when nothing more comes

  constructor(listeners, runtime) {
    this.#listeners = listeners;
    this.#runtime = runtime;
  }
  [Symbol.asyncIterator]() {
    return this;
  }
  next() {
    if (this.#waiting.length > 0) return Promise.resolve({value: this.#waiting.shift(), done: false});
    if (this.#end !== null) return this.#ended();
    hold(this.#runtime);
    return new Promise((resolve, reject) => this.#takers.push({resolve, reject}));
  }
  return() {
    this.#listeners.iterators.delete(this);
    this.#waiting = [];
    this.end(null);
    return this.#ended();
  }
  push(result) {
    const taker = this.#takers.shift();
    if (taker !== undefined) {
      release(this.#runtime);
      taker.resolve({value: result, done: false});
    } else if (this.#waiting.push(result) > MOST_WAITING) {
      this.#listeners.iterators.delete(this);
      this.end(fail('limit_exceeded', `${MOST_WAITING} results wait that nobody has taken`));
    }
  }
  end(error) {
    this.#end ??= {error};
    for (const taker of this.#takers.splice(0)) {
      release(this.#runtime);
      this.#ended().then(taker.resolve, taker.reject);
    }
  }
  #ended() {
    const {error} = this.#end;
    this.#end = {error: null};
    return error ? Promise.reject(error) : Promise.resolve({value: undefined, done: true});
  }
}

// What receives results while the app holds the runtime.
class Listeners {
  iterators = new Set();
  calls = new Map();  // by number: {resolve, reject, runtime}
  onResult = null;

  take(json) {
    const result = JSON.parse(json);
    const call = this.calls.get(result.call);
    if (call !== undefined) {
      this.calls.delete(result.call);
      release(call.runtime);
      if (result.error) call.reject(failure(result.error.code, result.error.text));
      else call.resolve(result.result);
      return;
    }
    for (const iterator of this.iterators) iterator.push(result);
    this.onResult?.(result);
  }
  end() {
    for (const iterator of this.iterators) iterator.end(null);
    this.iterators.clear();
    for (const call of this.calls.values()) {
      release(call.runtime);
      call.reject(fail('cancelled', 'the runtime was closed'));
    }
    this.calls.clear();
  }
}

class Table {
  #runtime;
  #package;
  #name;
  constructor(runtime, package_, name) {
    this.#runtime = runtime;
    this.#package = package_;
    this.#name = name;
  }
  // The row under a list of key values; null when there is none.
  async get(key) {
    return JSON.parse(await native.tableGet(this.#runtime, this.#package, this.#name, jsonOf(key, 'key')));
  }
  async put(row) {
    return native.tablePut(this.#runtime, this.#package, this.#name, jsonOf(row, 'row'));
  }
  async delete(key) {
    return native.tableDelete(this.#runtime, this.#package, this.#name, jsonOf(key, 'key'));
  }
  // {prefix, limit, descending}, each of which may be left out.
  async range(query = {}) {
    return JSON.parse(await native.tableRange(this.#runtime, this.#package, this.#name, jsonOf(query, 'query')));
  }
}

class Runtime {
  #handle;
  #listeners = new Listeners();
  #number;

  constructor(options = {}) {
    const listeners = this.#listeners;
    listeners.onResult = options.onResult ?? null;
    if (listeners.onResult !== null && typeof listeners.onResult !== 'function')
      throw fail('invalid_argument', 'onResult must be a function');
    this.#number = receive((kind, number, json) => listeners.take(json));
    try {
      this.#handle = native.runtimeCreate(this.#number, wholeOf(options.threads, 'threads'), options.outboxPath,
                                          wholeOf(options.kvBytes, 'kvBytes'), options.atRestKey);
    } catch (error) {
      forget(this.#number);
      throw error;
    }
  }

  async openTask(path) {
    return native.taskOpen(this.#handle, textOf(path, 'path'));
  }
  async startAgent(options = {}) {
    const profile = options.profile === undefined ? undefined : jsonOf(options.profile, 'profile');
    return native.agentStart(this.#handle, textOf(options.directory, 'directory'), options.joinToken, profile,
                             options.push ?? true, wholeOf(options.pollMs, 'pollMs'), options.atRestKey,
                             Boolean(options.forgetSealed));
  }
  send(event) {
    native.eventSend(this.#handle, jsonOf(event, 'event'));
  }
  // Kept when the event is on the disk.
  async sendDurable(event) {
    return native.eventSendDurable(this.#handle, jsonOf(event, 'event'));
  }
  // For any request of the app to its own server; empty while there is none.
  async haveText() {
    return native.haveText(this.#handle);
  }
  // What its server got for it at POST /api/v1/have.
  takeText(text) {
    native.takeText(this.#handle, textOf(text, 'text'));
  }
  setConditions(conditions) {
    native.conditionsSet(this.#handle, jsonOf(conditions, 'conditions'));
  }
  async flush(timeoutMs) {
    return native.flush(this.#handle, wholeOf(timeoutMs, 'timeoutMs', FLUSH_MS));
  }
  // What a function of a task's script returns for one argument.
  call(name, function_, argument = null) {
    return new Promise((resolve, reject) => {
      const number = native.taskCall(this.#handle, textOf(name, 'package'), textOf(function_, 'function'),
                                     jsonOf(argument, 'argument'));
      this.#listeners.calls.set(number, {resolve, reject, runtime: this});
      hold(this);
    });
  }
  // Results and failures of tasks from now on.
  results() {
    const results = new Results(this.#listeners, this);
    this.#listeners.iterators.add(results);
    return results;
  }
  async readFile(package_, name) {
    return new Uint8Array(await native.fileRead(this.#handle, textOf(package_, 'package'), textOf(name, 'name')));
  }
  table(package_, name) {
    return new Table(this.#handle, textOf(package_ ?? '', 'package'), textOf(name, 'name'));
  }
  async setConsent(given) {
    return native.consentSet(this.#handle, Boolean(given));
  }
  async eraseData() {
    return JSON.parse(await native.dataErase(this.#handle));
  }
  async status() {
    return JSON.parse(await native.status(this.#handle));
  }
  // A model of a task, 'package:model'.
  async model(name, options) {
    return Model.ofPackage(MODEL_KEY, this.#handle, name, options);
  }
  // A folder, a .flm file or 'package:model'.
  async languageModel(name) {
    return new LanguageModel(LANGUAGE_KEY, this.#handle,
                             await native.modelOpen(this.#handle, textOf(name, 'name')));
  }
  // Finishes the events sent so far; their results still come.
  async close() {
    await native.runtimeClose(this.#handle);
    // What has come with the last of them is delivered before.
    await new Promise((resolve) => setImmediate(resolve));
    this.#listeners.end();
    forget(this.#number);
  }
}

module.exports = {Runtime};
