// Questions over the page. The browser keeps the focus inside and gives it back; Escape closes.
import type {ComponentChildren} from 'preact';
import {useLayoutEffect, useRef, useState} from 'preact/hooks';
import {ApiError, newKey} from '../api/client';
import {Store, useStore} from '../store';
import {useOnce} from './button';
import {Field} from './field';

export function Dialog({title, onClose, children, fixed}: {title: string; onClose: () => void; children: ComponentChildren; fixed?: boolean}) {
  const place = useRef<HTMLDialogElement>(null);
  // Open as soon as it is there: an effect waits for a frame, and a key pressed before that would reach the page below.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const dialog = place.current;
    if (dialog && !dialog.open) dialog.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog ref={place} class="dialog" aria-label={title} onCancel={(event) => { event.preventDefault(); if (!fixed) onClose(); }}>
      {children}
    </dialog>
  );
}

export interface Question {
  title: string;
  facts: ComponentChildren;           // what will happen, to how many
  action: string;                     // the button: a verb
  danger?: boolean;
  reason?: boolean;                   // asks why
  needsReason?: boolean;
  typed?: string;                     // this text has to be typed
  work: (answer: {why: string; key: string}) => Promise<unknown>;
}

const asked = new Store<Question | null>(null);
export const askFor = (question: Question): void => asked.set(question);

export function Questions() {
  const question = useStore(asked);
  return question && <Ask key={question.title} question={question} />;
}

function Ask({question}: {question: Question}) {
  const [why, setWhy] = useState('');
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<ApiError>();
  const [busy, run] = useOnce(setError);
  const key = useRef(newKey());
  const close = () => { if (!busy) asked.set(null); };
  const ready = (!question.needsReason || why.trim() !== '') && (!question.typed || typed === question.typed);
  const submit = () => run(async () => {
    setError(undefined);
    await question.work({why: why.trim(), key: key.current});
    asked.set(null);
  });
  return (
    <Dialog title={question.title} onClose={close}>
      <form id="question" onSubmit={(event) => { event.preventDefault(); if (ready) void submit(); }}>
        <h2>{question.title}</h2>
        <div>{question.facts}</div>
        {question.reason && (
          <Field label={question.needsReason ? 'Reason' : 'Reason (kept in the history)'} id="question-why">
            {(ids) => <textarea {...ids} class="input" rows={2} value={why} autoFocus onInput={(event) => setWhy(event.currentTarget.value)} />}
          </Field>
        )}
        {question.typed && (
          <Field label={`Type ${question.typed} to go on`} id="question-typed">
            {(ids) => <input {...ids} class="input" value={typed} autoComplete="off" onInput={(event) => setTyped(event.currentTarget.value)} />}
          </Field>
        )}
        {error && <div class="note" data-tone={error.approval ? 'wait' : 'bad'} role="alert">
          {error.approval ? <>Asked: another person has to agree. <a href="#/admin/approvals" onClick={close}>See approvals</a></> : error.message}
        </div>}
        <div class="buttons">
          <button type="button" class="button" onClick={close}>{error?.approval ? 'Close' : 'Cancel'}</button>
          <button type="submit" id="question-do" class={`button ${question.danger ? 'danger full' : 'primary'}`} aria-busy={busy}
            disabled={!ready || Boolean(error?.approval)}>{question.action}</button>
        </div>
      </form>
    </Dialog>
  );
}
