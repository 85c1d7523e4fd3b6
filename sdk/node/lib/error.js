'use strict';
// What a call that failed throws, or rejects with.

class FerryError extends Error {
  // Of the table in ferry.h: 72, 'shape_mismatch'; the text names the place.
  constructor(code, name, text) {
    super(text);
    this.code = code;
    Object.defineProperty(this, 'name', {value: name, enumerable: false, configurable: true});
  }
}

module.exports = {FerryError};
