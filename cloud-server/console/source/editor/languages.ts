// What the editor colours: rules, and scripts of tasks.
import {StreamLanguage} from '@codemirror/language';
import {ATTRIBUTES, WORDS} from './words';

const NAMES = new Set(ATTRIBUTES.map((item) => item.name));

export const rules = StreamLanguage.define({
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/"(?:[^"\\]|\\.)*"?/)) return 'string';
    if (stream.match(/[0-9]+(\.[0-9]+)?/)) return 'number';
    const word = stream.match(/[A-Za-z_][A-Za-z0-9_]*/);
    if (word && word !== true) return WORDS.includes(word[0]) ? 'keyword' : NAMES.has(word[0]) ? 'propertyName' : 'invalid';
    if (stream.match(/[=!<>]=?|[(),]/)) return 'operator';
    stream.next();
    return 'invalid';
  },
});

const KEYWORDS = new Set(('False None True and as assert async await break case class continue def del elif else except finally for from global if import in is '
  + 'lambda match nonlocal not or pass raise return try while with yield').split(' '));

// The lexical part of Python (its reference, chapter 2): enough to see strings, comments and words.
export const python = StreamLanguage.define<{closes: string}>({
  startState: () => ({closes: ''}),
  token(stream, state) {
    if (state.closes) {
      while (!stream.eol()) {
        if (stream.match(state.closes)) { state.closes = ''; return 'string'; }
        if (stream.next() === '\\') stream.next();
      }
      return 'string';
    }
    if (stream.eatSpace()) return null;
    if (stream.match(/#.*/)) return 'comment';
    const long = stream.match(/[rbufRBUF]{0,2}("""|''')/);
    if (long && long !== true) { state.closes = long[1] ?? ''; return 'string'; }
    if (stream.match(/[rbufRBUF]{0,2}"(?:[^"\\]|\\.)*"?/) || stream.match(/[rbufRBUF]{0,2}'(?:[^'\\]|\\.)*'?/)) return 'string';
    if (stream.match(/0[xXoObB][0-9A-Fa-f_]+|[0-9][0-9_]*(\.[0-9_]*)?([eE][+-]?[0-9]+)?j?/)) return 'number';
    const word = stream.match(/[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*/);
    if (word && word !== true) return KEYWORDS.has(word[0]) ? 'keyword' : 'variableName';
    stream.next();
    return 'operator';
  },
});
