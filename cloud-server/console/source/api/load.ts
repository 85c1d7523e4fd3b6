// What a page shows of the server: kept while it is read anew, read anew when an event says that it changed and when
// the server is back.
import {useCallback, useEffect, useLayoutEffect, useRef, useState} from 'preact/hooks';
import {onLive, type LiveEvent} from '../live/client';
import {to, type Link} from './calls';
import {ApiError, get} from './client';
import {session} from './session';

// Lists that other pages look things up in: as many as one answer holds.
export const RELEASES = to('/releases', {query: {limit: 1000}});
export const PACKAGES = to('/packages', {query: {limit: 1000}});

const LEAST_PAUSE_MS = 1_000;  // between two reads of the same thing, however much happens

export interface Loaded<T> {
  value: T | undefined;
  error: ApiError | undefined;
  reload: () => Promise<void>;
  change: (change: (old: T) => T) => void;
}

// Reads that began before the part of the page that asks for them stood, by what is read.
const ahead = new Map<string, Promise<unknown>>();
const AHEAD_MS = 5_000;  // what nobody asked for by then is forgotten

// Begins what parts below will read as soon as this page has its own answer.
export function useAhead(key: string, ...links: {link: Link<unknown>; more?: Record<string, unknown>}[]): void {
  useLayoutEffect(() => {
    for (const {link, more} of links) {
      const name = aheadName(link, more), reading = link.read(more);
      reading.catch(() => {});
      ahead.set(name, reading);
      setTimeout(() => { if (ahead.get(name) === reading) ahead.delete(name); }, AHEAD_MS);
    }
  }, [key]);
}
const aheadName = (link: Link<unknown>, more: Record<string, unknown> = {}): string => `${link.key} ${JSON.stringify(more)}`;
function readOnce<T>(link: Link<T>, more?: Record<string, unknown>): Promise<T> {
  const name = aheadName(link, more), begun = ahead.get(name);
  ahead.delete(name);
  return begun ? begun as Promise<T> : link.read(more);
}

const asError = (error: unknown): ApiError => error instanceof ApiError ? error : new ApiError(0, 'internal', String(error));

// Calls `read` now, and later no more often than once in LEAST_PAUSE_MS; the last request is always followed by a read.
function usePaced(read: () => Promise<void>): () => void {
  const state = useRef({timer: 0, last: Date.now(), running: false, again: false, ended: false});
  const latest = useRef(read);
  latest.current = read;
  useEffect(() => () => { state.current.ended = true; clearTimeout(state.current.timer); }, []);
  return useCallback(() => {
    const it = state.current;
    const run = async () => {
      it.timer = 0;
      if (it.ended) return;
      it.running = true;
      it.last = Date.now();
      await latest.current();
      it.running = false;
      if (it.again) { it.again = false; plan(); }
    };
    const plan = () => {
      if (it.running) { it.again = true; return; }
      if (!it.timer) it.timer = window.setTimeout(run, Math.max(0, it.last + LEAST_PAUSE_MS - Date.now()));
    };
    plan();
  }, []);
}

// Calls `again` whenever what the page shows may be old: a wanted event, the stream is back, somebody signed in again.
function useNews(again: () => void, wants: (event: LiveEvent) => boolean): void {
  const wanted = useRef(wants);
  wanted.current = wants;
  useEffect(() => onLive((event) => { if (event.kind === 'reset' || wanted.current(event)) again(); }), [again]);
  useEffect(() => {
    let before = session.get().kind;
    return session.subscribe(() => {
      const now = session.get().kind;
      if (now === 'in' && before !== 'in') again();
      before = now;
    });
  }, [again]);
}

const keyOf = (what: string | Link<unknown> | null): string | null => what === null || typeof what === 'string' ? what : what.key;

// `what` null: nothing is read.
export function useLoad<T>(what: string | Link<T> | null, wants: (event: LiveEvent) => boolean = () => false): Loaded<T> {
  const path = keyOf(what);
  const [state, setState] = useState<{path: string | null; value?: T; error?: ApiError}>({path});
  const latest = useRef(path);
  latest.current = path;
  const wanted = useRef(what);
  wanted.current = what;
  const reload = useCallback(async () => {
    const asked = latest.current, from = wanted.current;
    if (asked === null || from === null) return;
    try {
      const value = await (typeof from === 'string' ? get<T>(from) : readOnce(from));
      if (latest.current === asked) setState({path: asked, value});
    } catch (error) {
      if (latest.current === asked) setState((old) => ({path: asked, value: old.path === asked ? old.value : undefined, error: asError(error)}));
    }
  }, []);
  const paced = usePaced(reload);
  useLayoutEffect(() => { void reload(); }, [path, reload]);
  useNews(paced, wants);
  const change = useCallback((how: (old: T) => T) =>
    setState((old) => old.value === undefined ? old : {...old, value: how(old.value)}), []);
  const mine = state.path === path;
  return {value: mine ? state.value : undefined, error: mine ? state.error : undefined, reload, change};
}

export interface Rows<T> {
  rows: T[] | undefined;
  total: number | undefined;
  more: boolean;           // there are rows that were not read yet
  loading: boolean;
  error: ApiError | undefined;
  readMore: () => void;
  reload: () => Promise<void>;
}

interface Page { next?: string | number | null; next_cursor?: string | null; total?: number; [key: string]: unknown }

const PAGE_ROWS = 200;
export const FIRST_PAGE = {limit: PAGE_ROWS};  // what a list reads first

type After = Record<string, string>;  // {} at the start
interface OnePage<T> { rows: T[]; next: After | null; total?: number }

async function readPage<T>(from: Link<unknown>, key: string, limit: number, after: After): Promise<OnePage<T>> {
  const page = await readOnce(from, {limit, ...after}) as Page;
  const rows = (page[key] ?? []) as T[];
  // A stream always says where to go on; a page without rows is its end.
  const next: After | null = rows.length === 0 ? null : page.next_cursor ? {cursor: page.next_cursor}
    : page.next_cursor === undefined && page.next !== null && page.next !== undefined && page.next !== '' ? {after: String(page.next)} : null;
  return {rows, next, total: page.total};
}

type Reading = 'reload' | 'more';
interface OneList { path: string; from: Link<unknown>; next: After | null; count: number; busy: Reading | null; waits: Reading | null }
const freshList = (path: string, from: Link<unknown>): OneList => ({path, from, next: null, count: 0, busy: null, waits: null});

// A list that the server gives in pages. What was read stays while it is read anew, down to the same length.
export function useRows<T>(from: Link<unknown>, key: string, wants: (event: LiveEvent) => boolean = () => false): Rows<T> {
  const path = from.key;
  const [state, setState] = useState<{path: string; rows?: T[]; next: After | null; total?: number; error?: ApiError}>({path, next: null});
  const [loading, setLoading] = useState(false);
  const latest = useRef(freshList(path, from));
  if (latest.current.path !== path) latest.current = freshList(path, from);
  const works = useRef({reload: () => {}, more: () => {}});
  const take = useCallback((asked: string, rows: T[], next: After | null, total?: number) => {
    Object.assign(latest.current, {next, count: rows.length});
    setState({path: asked, rows, next, total});
  }, []);
  // One at a time. What the other kind asks for meanwhile is done afterwards: nothing else would ask for it again.
  const guarded = useCallback(async (kind: Reading, work: (asked: string) => Promise<void>) => {
    const mine = latest.current;
    if (mine.busy !== null) {
      if (mine.busy !== kind) mine.waits = kind;
      return;
    }
    mine.busy = kind;
    setLoading(true);
    try {
      await work(mine.path);
    } catch (error) {
      if (latest.current === mine) setState((old) => ({...(old.path === mine.path ? old : {next: null}), path: mine.path, error: asError(error)}));
    }
    mine.busy = null;
    if (latest.current !== mine) return;
    setLoading(false);
    const waits = mine.waits;
    mine.waits = null;
    if (waits) works.current[waits]();
  }, []);
  const reload = useCallback(() => guarded('reload', async (asked) => {
    const mine = latest.current;
    const rows: T[] = [];
    let after: After | null = {}, total: number | undefined;
    do {
      const page: OnePage<T> = await readPage<T>(mine.from, key, Math.min(1000, Math.max(PAGE_ROWS, mine.count - rows.length)), after);
      if (latest.current !== mine) return;
      rows.push(...page.rows);
      after = page.next;
      total = page.total ?? total;
    } while (after && rows.length < mine.count);
    take(asked, rows, after, total);
  }), [key]);
  const readMore = useCallback(() => void guarded('more', async (asked) => {
    const mine = latest.current;
    if (!mine.next) return;
    const page = await readPage<T>(mine.from, key, PAGE_ROWS, mine.next);
    if (latest.current !== mine) return;
    setState((old) => {
      const rows = [...(old.rows ?? []), ...page.rows];
      Object.assign(mine, {next: page.next, count: rows.length});
      return {path: asked, rows, next: page.next, total: page.total ?? old.total};
    });
  }), [key]);
  works.current = {reload: () => void reload(), more: readMore};
  useLayoutEffect(() => { void reload(); }, [path, reload]);
  useNews(usePaced(reload), wants);
  const mine = state.path === path;
  return {rows: mine ? state.rows : undefined, total: mine ? state.total : undefined, more: mine && state.next !== null, loading,
    error: mine ? state.error : undefined, readMore, reload};
}
