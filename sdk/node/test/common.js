'use strict';
// What the tests share. FERRY_TEST_DATA is the folder of tests/sdk/small_models.py's files and of digits.fpk, FERRY_SOURCE
// the checkout.
const assert = require('node:assert');
const path = require('node:path');
const ferry = require('ferry');

const data = (name) => path.join(process.env.FERRY_TEST_DATA, name);
const source = (name) => path.join(process.env.FERRY_SOURCE, name);

// That `call` fails, at once or later, with this error and every one of these words.
async function fails(name, words, call) {
  let error;
  try {
    await call();
  } catch (caught) {
    error = caught;
  }
  assert.ok(error instanceof ferry.FerryError, `no FerryError but ${error?.stack}`);
  assert.strictEqual(error.name, name, error.message);
  assert.strictEqual(error.code, ferry.codes[name]);
  for (const word of words) assert.ok(error.message.includes(word), `'${word}' is not in: ${error.message}`);
}

module.exports = {...ferry, assert, data, source, fails};
