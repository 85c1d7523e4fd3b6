// The page's end of the stream of events.
import {credentials, hooks} from '../api/client';
import {resume, session} from '../api/session';
import type {FullRelease, Status} from '../api/types';
import {Store} from '../store';
import {workerUrl} from '../worker_url';
import type {FromPage, ToPage} from './messages';
import {LiveStream, type Connection, type Kind} from './stream';

export type LiveEvent =
  | {kind: 'status'; value: Status}
  | {kind: 'release'; value: FullRelease}
  | {kind: 'verify'; value: Record<string, unknown>}
  | {kind: 'reset'; value: unknown};

export const connection = new Store<Connection>('connecting');
export const status = new Store<Status | null>(null);
// Releases that move or may, with stages and gates, as events tell them.
export const moving = new Store<ReadonlyMap<string, FullRelease>>(new Map());
const HERE_EVERY_MS = 10_000;

const listeners = new Set<(event: LiveEvent) => void>();
export function onLive(listener: (event: LiveEvent) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function onEvent(kind: Kind, value: unknown): void {
  const event = {kind, value} as LiveEvent;
  if (event.kind === 'status') status.set(event.value);
  if (event.kind === 'release' && event.value.stages) moving.update((old) => new Map(old).set(event.value.id, event.value));
  for (const listener of [...listeners]) listener(event);
}

function onConnection(state: Connection): void {
  connection.set(state);
  if (state === 'signed-out') hooks.signedOut();
  // Another tab has signed in.
  if (state === 'live' && session.get().kind === 'expired') void resume();
}

function connect(): (message: FromPage) => void {
  if (typeof SharedWorker !== 'undefined') {
    const {port} = new SharedWorker(workerUrl('live'), {name: 'ferry-live'});
    port.onmessage = (message: MessageEvent<ToPage>) => {
      if ('connection' in message.data) onConnection(message.data.connection);
      else onEvent(message.data.event, message.data.value);
    };
    window.addEventListener('pagehide', () => port.postMessage({kind: 'bye'} satisfies FromPage));
    setInterval(() => { if (session.get().kind !== 'out') port.postMessage({kind: 'here'} satisfies FromPage); }, HERE_EVERY_MS);
    return (message) => port.postMessage(message);
  }
  const stream = new LiveStream({
    fetch: (path, headers, signal) => fetch(path, {headers, signal, cache: 'no-store'}),
    setTimeout: (work, ms) => window.setTimeout(work, ms),
    clearTimeout: (id) => window.clearTimeout(id),
    random: Math.random,
  }, {event: onEvent, connection: onConnection});
  return (message) => {
    if (message.kind === 'hello') stream.start(message.headers);
    if (message.kind === 'bye') stream.stop();
  };
}

// Follows the session: begins when somebody is signed in.
export function startLive(): void {
  let say: ((message: FromPage) => void) | null = null;
  const follow = () => {
    const kind = session.get().kind;
    if (kind === 'in') {
      say ??= connect();
      say({kind: 'hello', headers: credentials.bearer ? {Authorization: `Bearer ${credentials.bearer}`} : {}});
    }
  };
  session.subscribe(follow);
  follow();
  // A page that comes back from the browser's memory had said good-bye.
  window.addEventListener('pageshow', (event) => { if (event.persisted) location.reload(); });
}
