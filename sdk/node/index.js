'use strict';
// The Ferry runtime for Node.js; index.d.ts says what each part does.

const {native, codes} = require('./lib/native.js');
const {FerryError} = require('./lib/error.js');
const {Model} = require('./lib/model.js');
const {Runtime} = require('./lib/runtime.js');
const {Stream, Policy} = require('./lib/stream.js');

module.exports = {FerryError, Model, Policy, Runtime, Stream, codes: Object.freeze(codes), version: native.version()};
