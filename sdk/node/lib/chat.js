'use strict';
// Language models.

const {native, MESSAGE, KIND, receive, forget, hold, release, fail, failure, textOf, numberOf, wholeOf, bigOf, oneOf,
       jsonOf, describe} = require('./native.js');

const MODES = ['device-only', 'split', 'cloud-only'];
const SOURCES = ['verified', 'cloud', 'device'];
const KEY = Symbol('made by ferry');

// A text as it is generated, for `for await`: pieces {text, ids, source}.
class Generation {
  #chat;
  #pieces = [];
  #takers = [];
  #end = null;  // {error} when it is over
  #stats = null;
  #text = '';
  #over;

  constructor(chat, listen) {
    this.#chat = chat;
    this.#over = new Promise((resolve) => listen({
      push: (piece) => this.#push(piece),
      end: (error, stats) => {
        this.#stats = stats;
        this.#finish(error);
        resolve();
      },
    }));
  }
  [Symbol.asyncIterator]() {
    return this;
  }
  next() {
    if (this.#pieces.length > 0) return Promise.resolve({value: this.#pieces.shift(), done: false});
    if (this.#end !== null) return this.#ended();
    return new Promise((resolve, reject) => this.#takers.push({resolve, reject}));
  }
  // Who leaves the loop ends the generation.
  async return() {
    this.cancel();
    await this.#over;
    this.#pieces = [];
    return {value: undefined, done: true};
  }
  // All of it, when it is over.
  async text() {
    await this.#over;
    if (this.#end.error) throw this.#end.error;
    return this.#text;
  }
  // Of ferry_session_stats, when it is over; null before.
  get stats() {
    return this.#stats;
  }
  cancel() {
    if (this.#end === null) this.#chat.cancel();
  }
  #push(piece) {
    this.#text += piece.text;
    const taker = this.#takers.shift();
    if (taker !== undefined) taker.resolve({value: piece, done: false});
    else this.#pieces.push(piece);
  }
  #finish(error) {
    this.#end = {error};
    for (const taker of this.#takers.splice(0)) this.#ended().then(taker.resolve, taker.reject);
  }
  #ended() {
    const {error} = this.#end;
    return error ? Promise.reject(error) : Promise.resolve({value: undefined, done: true});
  }
}

// One generation after another with a model; `messages` is the conversation so far.
class Chat {
  #handle;
  #number;
  #listener = null;  // of the generation under way
  #onMode;
  messages = [];

  constructor(key, model, options = {}) {
    if (key !== KEY) throw new TypeError('a chat is made by LanguageModel.chat');
    const adapters = (options.adapters ?? []).map((one) => (one instanceof Adapter ? {adapter: one} : one));
    this.#onMode = options.onMode ?? null;
    const chat = new WeakRef(this);
    this.#number = receive((...message) => chat.deref()?.#take(...message));
    try {
      this.#handle = native.sessionOpen(
          model, this.#number, oneOf(options.mode, MODES, 'mode'), Boolean(options.pipelined),
          options.fallback === false, Boolean(options.ignoreEnd), bigOf(options.seed, 'seed'),
          numberOf(options.temperature, 'temperature'), wholeOf(options.topK, 'topK'),
          numberOf(options.topP, 'topP'), numberOf(options.repetitionPenalty, 'repetitionPenalty'),
          wholeOf(options.maxNew, 'maxNew'), wholeOf(options.draftTokens, 'draftTokens'),
          wholeOf(options.memoryBytes, 'memoryBytes'), options.target,
          adapters.map((one) => Adapter.handleOf(one.adapter)), adapters.map((one) => numberOf(one.scale, 'scale', 1)));
    } catch (error) {
      forget(this.#number);
      throw error;
    }
  }

  // The answer to one more message of the user, by the model's chat template.
  say(text) {
    const messages = [...this.messages, {role: 'user', content: textOf(text, 'text')}];
    const generation = this.generate(messages);
    generation.text().then((answer) => {
      this.messages = [...messages, {role: 'assistant', content: answer}];
    }, () => {});
    return generation;
  }
  // What follows a text, a conversation [{role, content}, ..] or token ids (Int32Array).
  generate(prompt) {
    if (typeof prompt === 'string') native.sessionStartText(this.#handle, prompt);
    else if (prompt instanceof Int32Array) native.sessionStartIds(this.#handle, prompt);
    else if (Array.isArray(prompt)) native.sessionStartChat(this.#handle, jsonOf(prompt, 'messages'));
    else throw fail('invalid_argument', `a prompt is a string, messages or an Int32Array; ${describe(prompt)} is given`);
    hold(this);
    return new Generation(this, (listener) => { this.#listener = listener; });
  }
  // From the next token on.
  setMode(mode) {
    native.sessionSetMode(this.#handle, oneOf(mode, MODES, 'mode'));
  }
  cancel() {
    native.chatCancel(this.#handle);
  }
  stats() {
    return JSON.parse(native.sessionStats(this.#handle));
  }
  close() {
    native.close(this.#handle, KIND.SESSION);
    forget(this.#number);
    this.#end(fail('cancelled', 'the chat was closed'), null);
  }

  #take(kind, number, text, ids) {
    if (kind === MESSAGE.TOKENS) {
      this.#listener?.push({text, ids, source: SOURCES[number]});
    } else if (kind === MESSAGE.MODE) {
      this.#onMode?.(MODES[number], text);
    } else {
      const stats = JSON.parse(text);
      this.#end(number === 0 ? null : failure(number, stats.error ?? 'the generation was cancelled'), stats);
    }
  }
  #end(error, stats) {
    const listener = this.#listener;
    if (listener === null) return;
    this.#listener = null;
    release(this);
    listener.end(error, stats);
  }
}

// Low-rank changes to a model, for its chats.
class Adapter {
  #handle;
  constructor(key, handle) {
    if (key !== KEY) throw new TypeError('an adapter is made by LanguageModel.adapter');
    this.#handle = handle;
  }
  static handleOf(adapter) {
    if (adapter instanceof Adapter) return adapter.#handle;
    throw fail('invalid_argument', `an adapter is one of LanguageModel.adapter; ${describe(adapter)} is given`);
  }
  info() {
    return JSON.parse(native.adapterInfo(this.#handle));
  }
  close() {
    native.close(this.#handle, KIND.ADAPTER);
  }
}

class LanguageModel {
  #runtime;
  #handle;
  constructor(key, runtime, handle) {
    if (key !== KEY) throw new TypeError('a language model is made by Runtime.languageModel');
    this.#runtime = runtime;
    this.#handle = handle;
  }
  info() {
    return JSON.parse(native.modelInfo(this.#handle));
  }
  // The tokens of a text; with asText names of special tokens are text like any other.
  encode(text, {asText = false} = {}) {
    return native.modelEncode(this.#handle, textOf(text, 'text'), Boolean(asText));
  }
  decode(ids, {skipSpecials = false} = {}) {
    if (!(ids instanceof Int32Array)) throw fail('invalid_argument', `ids are an Int32Array; ${describe(ids)} is given`);
    return native.modelDecode(this.#handle, ids, Boolean(skipSpecials));
  }
  // A PEFT folder, a .fla file or 'package:adapter'.
  async adapter(name) {
    return new Adapter(KEY, await native.adapterOpen(this.#runtime, this.#handle, textOf(name, 'name')));
  }
  chat(options) {
    return new Chat(KEY, this.#handle, options);
  }
  // Chats live on.
  close() {
    native.close(this.#handle, KIND.MODEL);
  }
}

module.exports = {LanguageModel, LANGUAGE_KEY: KEY};
