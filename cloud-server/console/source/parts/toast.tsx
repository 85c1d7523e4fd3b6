// Short news at the edge of the page. What went well goes by itself; what went wrong stays until it is put away.
import {Store, useStore} from '../store';

interface Toast { id: number; text: string; tone: 'good' | 'bad' }

const SHOWN_MS = 6_000;
const MOST = 4;
const toasts = new Store<Toast[]>([]);
let last = 0;

const dismiss = (id: number) => toasts.update((old) => old.filter((item) => item.id !== id));

export function say(text: string, tone: 'good' | 'bad' = 'good'): void {
  const id = ++last;
  toasts.update((old) => [...old.filter((item) => item.text !== text), {id, text, tone}].slice(-MOST));
  if (tone === 'good') setTimeout(() => dismiss(id), SHOWN_MS);
}

export function Toasts() {
  const shown = useStore(toasts);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.map((item) => (
        <div key={item.id} class="toast" data-tone={item.tone}>
          <span>{item.text}</span>
          <button type="button" class="button plain small" onClick={() => dismiss(item.id)}>Close</button>
        </div>
      ))}
    </div>
  );
}
