// The editor of rules and scripts: highlights, completes, and underlines what the server found wrong. Its code comes when it is first
// needed; until then a plain box of the same size stands there.
import {useEffect, useId, useRef, useState} from 'preact/hooks';
import type {RuleView} from '../editor/editor';

export interface RuleProblem { text: string; line?: number; column?: number }

interface RuleProps {
  label: string;
  value: string;
  onInput: (value: string) => void;
  wrong?: RuleProblem | undefined;
  hint?: string;
  id?: string;
  placeholder?: string;
  lines?: number;
  onEnter?: () => void;             // a search: Enter asks
  words?: Record<string, string[]>; // values that the fleet has, by attribute
  script?: boolean;                 // Python in place of a rule, with the numbers of its lines; of `lines` lines, others are scrolled to
}

export function RuleEditor({label, value, onInput, wrong, hint, id: given, placeholder = '', lines = 2, onEnter, words, script}: RuleProps) {
  const made = useId();
  const id = given ?? made;
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<RuleView | null>(null);
  const [ready, setReady] = useState(false);
  const latest = useRef({onInput, onEnter, words});
  // What was typed and has not come back as `value` yet: who types fast is ahead of it.
  const typed = useRef<string[]>([]);
  latest.current = {onInput, onEnter, words};
  useEffect(() => {
    let left = false;
    void import('../editor/editor').then(({openEditor}) => {
      const box = place.current;
      if (left || !box) return;
      const had = box.contains(document.activeElement);
      view.current = openEditor(box, {value: (box.querySelector('textarea')?.value ?? value), label, placeholder, lines, described: `${id}-wrong ${id}-hint`,
        onInput: (text) => { typed.current.push(text); latest.current.onInput(text); }, onEnter: () => latest.current.onEnter?.(), search: Boolean(onEnter), script: Boolean(script),
        words: () => latest.current.words ?? {}});
      setReady(true);
      if (had) view.current.focus();
    });
    return () => { left = true; view.current?.close(); view.current = null; };
  }, []);
  useEffect(() => {
    const at = typed.current.lastIndexOf(value);
    if (at >= 0) typed.current.splice(0, at + 1);
    else { typed.current = []; view.current?.set(value); }
  }, [value, ready]);
  useEffect(() => view.current?.mark(wrong), [wrong?.text, wrong?.line, wrong?.column, ready]);
  return (
    <div class="field" id={id}>
      <span class="label" onClick={() => view.current?.focus()}>{label}</span>
      <div class="editor" ref={place} data-wrong={Boolean(wrong)} data-script={Boolean(script)} style={{[script ? 'height' : 'minHeight']: `${lines * 20 + 14}px`}}>
        {!ready && <textarea aria-label={label} rows={lines} value={value} placeholder={placeholder} spellcheck={false}
          onInput={(event) => onInput(event.currentTarget.value)} />}
      </div>
      <div class="wrong" id={`${id}-wrong`} role="alert">{wrong?.text}</div>
      {hint && <div class="hint" id={`${id}-hint`}>{hint}</div>}
    </div>
  );
}
