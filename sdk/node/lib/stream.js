'use strict';
// Streams without a package, and rules of policies.

const {native, KIND, textOf, wholeOf, jsonOf} = require('./native.js');

// Rows through a graph of operators, as "streams" of task.json.
class Stream {
  #handle;
  constructor(streams) {
    this.#handle = native.streamOpen(jsonOf(streams, 'streams'));
  }
  send(source, row) {
    native.streamSend(this.#handle, textOf(source, 'source'), jsonOf(row, 'row'));
  }
  sendEvent(event) {
    native.streamSendEvent(this.#handle, jsonOf(event, 'event'));
  }
  // Event time has come to `timeMs`; without it, to its end.
  advance(timeMs) {
    native.streamAdvance(this.#handle, wholeOf(timeMs, 'timeMs', -1));
  }
  // Rows that have left since the last call: [{stream, row}, ..]
  read(most) {
    return JSON.parse(native.streamRead(this.#handle, wholeOf(most, 'most')));
  }
  status() {
    return JSON.parse(native.streamStatus(this.#handle));
  }
  close() {
    native.close(this.#handle, KIND.STREAM);
  }
}

const Policy = {
  // Whether a rule reaches the device with these attributes: {matches, reason}.
  matches(rule, attributes, salt = '') {
    const reason = native.policyMatches(textOf(rule, 'rule'), jsonOf(attributes, 'attributes'), textOf(salt, 'salt'));
    return {matches: reason === undefined, reason: reason ?? null};
  },
};

module.exports = {Stream, Policy};
