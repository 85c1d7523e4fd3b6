// Reads the server's events over one connection: comes back by itself with growing pauses, asks for the status meanwhile
// when that fails for long. Knows no page and no clock of its own, so that tests can drive it.

export type Connection = 'connecting' | 'live' | 'waiting' | 'polling' | 'lost' | 'signed-out';
export type Kind = 'status' | 'release' | 'verify' | 'reset';

export interface Surroundings {
  fetch: (path: string, headers: Record<string, string>, signal: AbortSignal) => Promise<Response>;
  setTimeout: (work: () => void, ms: number) => number;
  clearTimeout: (id: number) => void;
  random: () => number;
}
// Decisions that are told again are the newest ones; older ones stay.
export function mergedEvents<T extends {seq: number}>(before: T[] | undefined, after: T[] | undefined): T[] {
  if (!before || !after) return after ?? before ?? [];
  const first = after[0]?.seq ?? Infinity;
  return [...before.filter((event) => event.seq < first), ...after];
}

// A thing of which events tell the differences: the first, and any that says "whole", is all of it; of what follows a whole one
// null takes a member away.
export function merged(old: Record<string, unknown> | undefined, data: Record<string, unknown>): Record<string, unknown> {
  const next: Record<string, unknown> = data['whole'] === true || old === undefined ? {...data} : {...old, ...data};
  if (old && 'whole' in old) for (const [name, value] of Object.entries(data)) if (value === null) delete next[name];
  if (Array.isArray(data['events'])) next['events'] = mergedEvents(old?.['events'] as {seq: number}[] | undefined, data['events'] as {seq: number}[]);
  return next;
}

export interface Listener {
  event: (kind: Kind, value: unknown) => void;
  connection: (state: Connection) => void;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
const JITTER = 0.3;              // of a pause, so that many browsers do not come back together
const POLL_AFTER_FAILURES = 3;
const POLL_EVERY_MS = 10_000;
const SILENCE_MS = 20_000;       // the server says something every 15 s
const FINAL = ['rolled_back', 'stopped', 'failed_simulation', 'superseded', 'killed', 'complete'];

// The pieces of text/event-stream (WHATWG HTML, section 9.2).
export class EventReader {
  private rest = '';
  lastId = '';
  private kind = '';
  private data: string[] = [];
  constructor(private readonly give: (kind: string, data: string) => void) {}
  push(text: string): void {
    this.rest += text;
    for (;;) {
      const end = /\r\n|\n|\r(?!$)/.exec(this.rest);
      if (!end) return;
      this.line(this.rest.slice(0, end.index));
      this.rest = this.rest.slice(end.index + end[0].length);
    }
  }
  private line(line: string): void {
    if (line === '') {
      if (this.data.length > 0) this.give(this.kind || 'message', this.data.join('\n'));
      this.kind = '';
      this.data = [];
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') this.kind = value;
    else if (name === 'data') this.data.push(value);
    else if (name === 'id') this.lastId = value;
  }
}

export class LiveStream {
  private failures = 0;
  private ended = true;
  private headers: Record<string, string> = {};
  private lastId = '';
  private timers = {again: 0, poll: 0, silence: 0};
  private abort: AbortController | null = null;
  private wasLive = false;
  // What was last told of the status, the verifier and each release that may still move: a page that comes later begins there.
  private things = new Map<string, {kind: Kind; value: Record<string, unknown>}>();

  constructor(private readonly env: Surroundings, private readonly to: Listener) {}

  start(headers: Record<string, string>): void {
    this.headers = headers;
    if (!this.ended) return;
    this.ended = false;
    this.failures = 0;
    this.to.connection('connecting');
    void this.read();
  }

  stop(): void {
    this.ended = true;
    this.abort?.abort();
    for (const id of Object.values(this.timers)) this.env.clearTimeout(id);
    this.timers = {again: 0, poll: 0, silence: 0};
  }

  private watch(): void {
    this.env.clearTimeout(this.timers.silence);
    this.timers.silence = this.env.setTimeout(() => this.abort?.abort(), SILENCE_MS);
  }

  private async read(): Promise<void> {
    const abort = this.abort = new AbortController();
    this.watch();
    try {
      const known = this.lastId ? {'Last-Event-ID': this.lastId} : undefined;
      const response = await this.env.fetch('/api/v1/live', {...this.headers, Accept: 'text/event-stream', ...known}, abort.signal);
      if (response.status === 401) return this.signedOut();
      if (!response.ok || !response.body) throw new Error(`status ${response.status}`);
      await this.follow(response.body);
    } catch {
      // Whatever ended it, it begins again.
    }
    this.env.clearTimeout(this.timers.silence);
    if (!this.ended && this.abort === abort) this.later();
  }

  private async follow(body: ReadableStream<Uint8Array>): Promise<void> {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    const events = new EventReader((kind, data) => {
      this.lastId = events.lastId;
      if (kind === 'reset') this.to.event(kind, JSON.parse(data));
      if (kind === 'release' || kind === 'status' || kind === 'verify') this.told(kind, JSON.parse(data));
    });
    events.lastId = this.lastId;
    for (;;) {
      const {done, value} = await reader.read();
      if (done || this.ended) return;
      this.watch();
      this.isLive();
      events.push(decoder.decode(value, {stream: true}));
    }
  }

  private told(kind: Kind, data: Record<string, unknown>): void {
    const name = kind === 'release' ? `release/${String(data['id'])}` : kind;
    const value = merged(this.things.get(name)?.value, data);
    delete value['members'];  // read by whoever shows them
    if (kind === 'release' && FINAL.includes(String(value['state']))) this.things.delete(name);
    else this.things.set(name, {kind, value});
    this.to.event(kind, value);
  }

  // All that is known now, for a page that begins to listen.
  known(): {kind: Kind; value: unknown}[] { return [...this.things.values()]; }

  private isLive(): void {
    if (this.failures === 0 && this.wasLive) return;
    const back = this.failures > 0;
    this.failures = 0;
    this.wasLive = true;
    this.env.clearTimeout(this.timers.poll);
    this.timers.poll = 0;
    this.to.connection('live');
    // Where the server numbers its events it says itself whether something was missed.
    if (back && !this.lastId) this.to.event('reset', {});
  }

  private later(): void {
    this.failures += 1;
    const whole = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(this.failures - 1, 10));
    this.timers.again = this.env.setTimeout(() => void this.read(), whole * (1 - JITTER * this.env.random()));
    if (this.failures < POLL_AFTER_FAILURES) this.to.connection('waiting');
    else if (!this.timers.poll) void this.poll();
  }

  private async poll(): Promise<void> {
    this.timers.poll = this.env.setTimeout(() => void this.poll(), POLL_EVERY_MS);
    const abort = new AbortController();
    const limit = this.env.setTimeout(() => abort.abort(), POLL_EVERY_MS);
    try {
      const response = await this.env.fetch('/api/v1/status', this.headers, abort.signal);
      if (response.status === 401) return this.signedOut();
      if (!response.ok) throw new Error(`status ${response.status}`);
      const value = await response.json();
      if (this.ended || !this.timers.poll) return;
      this.to.connection('polling');
      this.to.event('status', value);
      this.to.event('reset', {});
    } catch {
      if (!this.ended && this.timers.poll) this.to.connection('lost');
    } finally {
      this.env.clearTimeout(limit);
    }
  }

  private signedOut(): void {
    this.stop();
    this.wasLive = false;
    this.lastId = '';
    this.things.clear();
    this.to.connection('signed-out');
  }
}
