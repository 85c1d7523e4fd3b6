'use strict';
// Element types and the arrays of JavaScript that hold them.

const {native, fail, describe} = require('./native.js');

const STRING = 8;
const UNCLASSED = Uint8Array;  // types without an array of their own: as bytes
const ARRAYS = {
  f32: Float32Array, f64: Float64Array, u8: Uint8Array, i8: Int8Array, u16: Uint16Array, i16: Int16Array,
  i32: Int32Array, u32: Uint32Array, i64: BigInt64Array, u64: BigUint64Array, f16: Uint16Array, bf16: Uint16Array,
  i4: Int8Array, i2: Int8Array,
};

// By number: {number, name, bytes, Array}.
const TYPES = native.types().map((row, number) => ({number, name: row[0], bytes: row[1],
                                                    Array: ARRAYS[row[0]] ?? UNCLASSED}));
const BY_NAME = new Map(TYPES.filter(Boolean).map((type) => [type.name, type]));

// The type called `name`; undefined stands for `declared`.
function typeOf(name, declared, what) {
  if (name === undefined) return declared;
  const type = BY_NAME.get(name);
  if (type === undefined) {
    throw fail('shape_mismatch',
               `${what}: there is no type ${describe(name)}; there are ${[...BY_NAME.keys()].join(', ')}`);
  }
  return type;
}

// `data` as an array that holds `type`: of the type's own class, or its bytes as Uint8Array or ArrayBuffer.
function arrayOf(data, type, what) {
  if (data instanceof type.Array || data?.[Symbol.toStringTag] === type.Array.name) return data;
  if (type.number === STRING) {
    if (Array.isArray(data) && data.every((one) => typeof one === 'string')) return data;
    throw fail('shape_mismatch', `${what}: string wants an array of strings, ${describe(data)} is given`);
  }
  if (data instanceof Uint8Array) return data;
  if (data instanceof ArrayBuffer || data instanceof SharedArrayBuffer) return new Uint8Array(data);
  throw fail('shape_mismatch',
             `${what}: ${type.name} wants ${type.Array.name} or Uint8Array, ${describe(data)} is given`);
}

// How many elements of `type` lie in `data`.
function lengthOf(data, type) {
  return type.number === STRING ? data.length : data.byteLength / type.bytes;
}

// A new array for `bytes` bytes of `type`, in memory of its own.
function newArray(type, bytes) {
  return new type.Array(new ArrayBuffer(bytes));
}

// The array of `type` over a whole buffer.
function arrayOver(buffer, type) {
  return type.number === STRING ? buffer : new type.Array(buffer);
}

module.exports = {STRING, TYPES, typeOf, arrayOf, lengthOf, newArray, arrayOver};
