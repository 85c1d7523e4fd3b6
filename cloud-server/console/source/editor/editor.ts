// CodeMirror set up for rules and scripts. A part of its own of the bundle.
import {autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, type CompletionContext, type CompletionResult} from '@codemirror/autocomplete';
import {defaultKeymap, history, historyKeymap} from '@codemirror/commands';
import {bracketMatching, HighlightStyle, indentUnit, syntaxHighlighting} from '@codemirror/language';
import {setDiagnostics} from '@codemirror/lint';
import {EditorState, Prec, type Extension} from '@codemirror/state';
import {EditorView, keymap, lineNumbers, placeholder} from '@codemirror/view';
import {tags} from '@lezer/highlight';
import {python, rules} from './languages';
import {ATTRIBUTES, WORDS} from './words';

interface Options {
  value: string; label: string; placeholder: string; lines: number; described: string; search: boolean; script: boolean;
  onInput: (text: string) => void; onEnter: () => void; words: () => Record<string, string[]>;
}
export interface RuleView {
  set: (text: string) => void;
  mark: (wrong: {text: string; line?: number; column?: number} | undefined) => void;
  focus: () => void;
  close: () => void;
}

const colours = HighlightStyle.define([
  {tag: tags.keyword, color: 'var(--accent)', fontWeight: '600'},
  {tag: tags.string, color: 'var(--good)'},
  {tag: tags.number, color: 'var(--wait)'},
  {tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic'},
  {tag: tags.invalid, color: 'var(--bad)'},
]);

// After "os ==" or "os in (": values that the fleet has; else names of conditions and the words between them.
function complete(words: () => Record<string, string[]>) {
  return (context: CompletionContext): CompletionResult | null => {
    const before = context.state.sliceDoc(Math.max(0, context.pos - 200), context.pos);
    const value = /([a-z_]+)\s*(?:==|!=|in\s*\((?:\s*"[^"]*"\s*,)*|\((?:\s*"[^"]*"\s*,)*)\s*"([^"]*)$/.exec(before);
    if (value) {
      const known = words()[value[1] ?? ''] ?? [];
      return known.length ? {from: context.pos - (value[2] ?? '').length, options: known.map((label) => ({label, type: 'text'}))} : null;
    }
    const word = context.matchBefore(/[A-Za-z_]*/);
    if (!word || (word.from === word.to && !context.explicit)) return null;
    return {from: word.from, options: [
      ...ATTRIBUTES.map((item) => ({label: item.name, detail: item.detail, apply: item.apply ?? `${item.name} `, type: 'property'})),
      ...WORDS.map((label) => ({label, type: 'keyword'}))]};
  };
}

const theme = EditorView.theme({
  '&': {fontSize: '13px', backgroundColor: 'transparent', color: 'var(--ink)'},
  '&.cm-focused': {outline: 'none'},
  '.cm-content': {fontFamily: 'var(--mono)', padding: '6px 0', lineHeight: '20px', caretColor: 'var(--ink)'},
  '.cm-line': {padding: '0 9px'},
  '.cm-placeholder': {color: 'var(--faint)'},
  '.cm-cursor': {borderLeftColor: 'var(--ink)'},
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {backgroundColor: 'var(--chosen) !important'},
  '.cm-tooltip': {backgroundColor: 'var(--raised)', border: '1px solid var(--line)', color: 'var(--ink)'},
  '.cm-tooltip-autocomplete ul li[aria-selected]': {backgroundColor: 'var(--accent-ground)', color: 'var(--ink)'},
  '.cm-completionDetail': {color: 'var(--muted)', fontStyle: 'normal'},
  '.cm-lintRange-error': {backgroundImage: 'none', textDecoration: 'underline wavy var(--bad) 1.5px', textUnderlineOffset: '3px'},
  '.cm-gutters': {backgroundColor: 'transparent', color: 'var(--muted)', border: 'none'},
  '.cm-matchingBracket': {backgroundColor: 'var(--chosen)'},
});

// A search has one line, and Enter asks.
const searching = (onEnter: () => void): Extension => [
  EditorState.transactionFilter.of((change) => change.newDoc.lines > 1 ? [] : change),
  keymap.of([{key: 'Enter', run: () => { onEnter(); return true; }}]),
];

function placeOf(state: EditorState, line: number, given: number | undefined): {from: number; to: number} {
  const at = state.doc.line(Math.min(Math.max(line, 1), state.doc.lines));
  // Without a column the line's first word is meant.
  const column = given ?? at.text.search(/\S|$/) + 1;
  const from = Math.min(at.from + Math.max(column - 1, 0), at.to);
  const rest = state.sliceDoc(from, at.to);
  const length = /^("[^"]*"?|[A-Za-z0-9_.]+|[^\s])/.exec(rest)?.[0].length ?? 0;
  // At the end of the text the last word before it is marked.
  return length > 0 ? {from, to: from + length} : {from: Math.max(0, from - 1), to: Math.max(from, 1)};
}

export function openEditor(place: HTMLElement, options: Options): RuleView {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="ferry-nonce"]')?.content.replace(/^\{\{.*/, '') ?? '';
  let given = false;  // a text from outside is told to nobody
  const view = new EditorView({
    doc: options.value,
    extensions: [
      nonce ? EditorView.cspNonce.of(nonce) : [],
      options.search ? searching(options.onEnter) : [],
      Prec.high(keymap.of(completionKeymap)),
      history(), bracketMatching(), closeBrackets(), syntaxHighlighting(colours),
      options.script ? [python, lineNumbers(), indentUnit.of('    ')] : [rules, autocompletion({override: [complete(options.words)], icons: false})],
      keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap]),
      EditorView.lineWrapping, placeholder(options.placeholder), theme,
      EditorView.contentAttributes.of({'aria-label': options.label, 'aria-describedby': options.described, spellcheck: 'false', autocapitalize: 'off', tabindex: '0'}),
      EditorView.updateListener.of((update) => { if (update.docChanged && !given) options.onInput(update.state.doc.toString()); }),
    ],
  });
  // A script's editor fills its box, which never grows by itself: long texts are measured as they come into view, and what lies
  // below would move away under the pointer.
  if (options.script) view.dom.style.height = '100%';
  else view.dom.style.minHeight = `${options.lines * 20 + 12}px`;
  place.append(view.dom);
  return {
    set: (text) => {
      if (text === view.state.doc.toString()) return;
      given = true;
      view.dispatch({changes: {from: 0, to: view.state.doc.length, insert: text}});
      given = false;
    },
    mark: (wrong) => {
      const found = wrong?.line !== undefined && view.state.doc.length > 0
        ? [{...placeOf(view.state, wrong.line, wrong.column), severity: 'error' as const, message: wrong.text}] : [];
      view.dispatch(setDiagnostics(view.state, found));
    },
    focus: () => view.focus(),
    close: () => view.destroy(),
  };
}
