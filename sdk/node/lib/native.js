'use strict';
// The addon: its functions, its messages, and for what the process lives on.

const {FerryError} = require('./error.js');
const native = require('../native/ferry.node');

// Of src/inbox.h.
const MESSAGE = {RUN_DONE: 0, RESULT: 1, TOKENS: 2, MODE: 3, END: 4};
// Of src/handle.h.
const KIND = {ENGINE: 0, ENGINE_SESSION: 1, RUNTIME: 2, MODEL: 3, ADAPTER: 4, SESSION: 5, STREAM: 6};

const receivers = new Map();
let lastReceiver = 0;

native.attach(FerryError, (kind, receiver, number, text, ids) => {
  receivers.get(receiver)?.(kind, number, text, ids);
});
process.once('exit', () => native.leave());

// A number for messages that come to `receiver` from now on.
function receive(receiver) {
  receivers.set(++lastReceiver, receiver);
  return lastReceiver;
}
function forget(number) {
  receivers.delete(number);
}

// What messages are awaited for: it stays in memory, and the process alive.
const awaited = new Map();
function hold(object) {
  if (awaited.size === 0) native.hold(true);
  awaited.set(object, (awaited.get(object) ?? 0) + 1);
}
function release(object) {
  const left = awaited.get(object) - 1;
  if (left > 0) {
    awaited.set(object, left);
    return;
  }
  awaited.delete(object);
  if (awaited.size === 0) native.hold(false);
}

const codes = {};
for (let code = 0; code < 256; ++code) {
  const name = native.codeName(code);
  if (name !== 'internal' || code === 17) codes[name] = code;
}
function fail(name, text) {
  return new FerryError(codes[name], name, text);
}
function failure(code, text) {
  return new FerryError(code, native.codeName(code), text);
}

// The text of an argument.
function textOf(value, what) {
  if (typeof value === 'string') return value;
  if (what === 'path' && value instanceof URL) return require('node:url').fileURLToPath(value);
  throw fail('invalid_argument', `${what} must be a string, ${describe(value)} is given`);
}
function numberOf(value, what, fallback = 0) {
  if (value === undefined || value === null) return fallback;
  if (typeof value === 'number' && !Number.isNaN(value)) return value;
  throw fail('invalid_argument', `${what} must be a number, ${describe(value)} is given`);
}
function wholeOf(value, what, fallback = 0) {
  const number = numberOf(value, what, fallback);
  if (Number.isSafeInteger(number)) return number;
  throw fail('invalid_argument', `${what} must be a whole number, ${number} is given`);
}
function bigOf(value, what) {
  if (value === undefined || value === null) return 0n;
  if (typeof value === 'bigint' && value >= 0n && value < 1n << 64n) return value;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  throw fail('invalid_argument', `${what} must be a whole number from 0 to 2^64-1`);
}
// One of `names`, as its place among them.
function oneOf(value, names, what) {
  if (value === undefined || value === null) return 0;
  const place = names.indexOf(value);
  if (place >= 0) return place;
  throw fail('invalid_argument', `${what} is one of ${names.join(', ')}; ${describe(value)} is given`);
}
// The JSON of an argument; a string is taken for JSON as it is.
function jsonOf(value, what) {
  let text;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    throw fail('malformed', `${what}: ${error.message}`);
  }
  if (text === undefined) throw fail('malformed', `${what}: ${describe(value)} is no JSON`);
  return text;
}
function describe(value) {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40));
  return typeof value === 'object' ? value.constructor?.name ?? 'an object' : String(value);
}

module.exports = {native, MESSAGE, KIND, receive, forget, hold, release, fail, failure, codes, textOf,
  numberOf, wholeOf, bigOf, oneOf, jsonOf, describe};
