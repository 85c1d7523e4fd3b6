// One stream of events for all tabs of this browser: a browser opens only six connections to a host.
import {LiveStream, type Connection, type Kind} from './stream';
import type {FromPage, ToPage} from './messages';

interface SharedScope { onconnect: (event: MessageEvent) => void }

const ports = new Map<MessagePort, number>();  // when each was heard last
const GONE_MS = 40_000;                        // a page says every ten seconds that it is there
let connection: Connection = 'connecting';

function tell(message: ToPage): void {
  for (const port of ports.keys()) port.postMessage(message);
}

const stream = new LiveStream({
  fetch: (path, headers, signal) => fetch(path, {headers, signal, cache: 'no-store'}),
  setTimeout: (work, ms) => setTimeout(work, ms) as unknown as number,
  clearTimeout: (id) => clearTimeout(id),
  random: Math.random,
}, {
  event: (kind: Kind, value: unknown) => tell({event: kind, value}),
  connection: (state: Connection) => {
    connection = state;
    tell({connection: state});
  },
});

function leave(port: MessagePort): void {
  ports.delete(port);
  port.close();
  if (ports.size === 0) stream.stop();
}

setInterval(() => {
  for (const [port, heard] of ports) if (Date.now() - heard > GONE_MS) leave(port);
}, GONE_MS / 2);

(self as unknown as SharedScope).onconnect = (connect) => {
  const port = connect.ports[0];
  if (!port) return;
  ports.set(port, Date.now());
  port.onmessage = (message: MessageEvent<FromPage>) => {
    if (message.data.kind === 'bye') return leave(port);
    ports.set(port, Date.now());
    if (message.data.kind !== 'hello') return;
    stream.start(message.data.headers);
    port.postMessage({connection} satisfies ToPage);
    for (const {kind, value} of stream.known()) port.postMessage({event: kind, value} satisfies ToPage);
  };
};
