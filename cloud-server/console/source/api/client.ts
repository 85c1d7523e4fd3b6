// Calls of the admin REST: session, CSRF, errors with the field and the place that they are about.
import {Store} from '../store';

export class ApiError extends Error {
  said?: string;       // the text without the place, where it names one
  field?: string;
  line?: number;
  column?: number;
  next?: string;
  current?: unknown;   // 412: what is stored now
  approval?: string;   // 409: the request that waits for a second person
  constructor(readonly status: number, readonly code: string, text: string) { super(text); }
  get unreachable(): boolean { return this.status === 0; }
}

interface ErrorBody {
  error?: {name?: string; text?: string; field?: string; line?: number; column?: number; next?: string};
  current?: unknown;
  approval?: string;
}

// What goes with each call; the session sets it.
export const credentials = {bearer: '', csrf: ''};
// Called when a call finds that there is no session any more, and when another tab has begun a new one: whether this page has it now.
export const hooks = {signedOut: () => {}, renew: async (): Promise<boolean> => false};
// Whether the last call reached the server.
export const reachable = new Store(true);

export interface CallOptions {
  key?: string;     // the same key is carried out once
  match?: string;   // ETag of what was read before a change
  open?: boolean;   // a 401 is an answer here, not the end of the session
}

export interface Answer<T> {
  value: T;
  etag: string | null;
}

function headersFor(method: string, options: CallOptions): Record<string, string> {
  const headers: Record<string, string> = {};
  if (credentials.bearer) headers['Authorization'] = `Bearer ${credentials.bearer}`;
  if (credentials.csrf && method !== 'GET') headers['X-Ferry-CSRF'] = credentials.csrf;
  if (options.key) headers['Idempotency-Key'] = options.key;
  if (options.match) headers['If-Match'] = options.match;
  return headers;
}

// "line 2, column 7: expected ..." at the start of a text, or after "rule: ".
const PLACE = /\bline (\d+), column (\d+): /;

function errorOf(status: number, body: ErrorBody): ApiError {
  const error = new ApiError(status, body.error?.name ?? 'internal', body.error?.text ?? `status ${status}`);
  Object.assign(error, {field: body.error?.field, line: body.error?.line, column: body.error?.column,
    next: body.error?.next, current: body.current, approval: body.approval});
  const place = PLACE.exec(error.message);
  if (place) error.said = error.message.slice(place.index + place[0].length);
  if (place && error.line === undefined) Object.assign(error, {line: Number(place[1]), column: Number(place[2])});
  if (!error.field && error.code === 'bad_rule') error.field = /^stage/.test(error.message) ? 'stages' : 'rule';
  return error;
}

// Carries a call of the generated client out: with the session, once more where that was renewed; what is no answer is thrown.
export async function carry(request: Request): Promise<Response> {
  const again = request.clone();
  try {
    return await carryOnce(request);
  } catch (error) {
    if (error instanceof ApiError && error.status === 403 && error.next === 'reload' && await hooks.renew()) return carryOnce(again);
    throw error;
  }
}

async function carryOnce(request: Request): Promise<Response> {
  for (const [name, value] of Object.entries(headersFor(request.method, {}))) request.headers.set(name, value);
  let response: Response;
  try {
    response = await fetch(request, {cache: 'no-store'});
  } catch {
    reachable.set(false);
    throw new ApiError(0, 'unavailable', 'The server cannot be reached.');
  }
  reachable.set(true);
  if (response.ok) return response;
  let body: ErrorBody;
  try {
    body = await response.json() as ErrorBody;
  } catch {
    throw new ApiError(response.status, 'malformed', `The server sent something that is not JSON (status ${response.status}).`);
  }
  if (response.status === 401) hooks.signedOut();
  throw errorOf(response.status, body);
}

export async function ask<T>(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<Answer<T>> {
  try {
    return await askOnce<T>(method, path, body, options);
  } catch (error) {
    // The session is another one than this page knows: the call was not carried out.
    if (error instanceof ApiError && error.status === 403 && error.next === 'reload' && await hooks.renew()) return askOnce<T>(method, path, body, options);
    throw error;
  }
}

async function askOnce<T>(method: string, path: string, body: unknown, options: CallOptions): Promise<Answer<T>> {
  const headers = headersFor(method, options);
  const raw = body instanceof Blob;
  if (body !== undefined) headers['Content-Type'] = raw ? 'application/octet-stream' : 'application/json';
  let response: Response, text: string;
  try {
    response = await fetch(`/api/v1${path}`, {method, headers, cache: 'no-store',
      body: raw || body === undefined ? (body as Blob | undefined) : JSON.stringify(body)});
    text = await response.text();
  } catch {
    reachable.set(false);
    throw new ApiError(0, 'unavailable', 'The server cannot be reached.');
  }
  reachable.set(true);
  let value: unknown;
  try {
    value = text ? JSON.parse(text) : {};
  } catch {
    throw new ApiError(response.status, 'malformed', `The server sent something that is not JSON (status ${response.status}).`);
  }
  if (!response.ok) {
    if (response.status === 401 && !options.open) hooks.signedOut();
    throw errorOf(response.status, (value ?? {}) as ErrorBody);
  }
  return {value: value as T, etag: response.headers.get('ETag')};
}

// The bytes that a call answers with.
export async function download(path: string, body: unknown): Promise<Blob> {
  let response: Response;
  try {
    response = await fetch(`/api/v1${path}`, {method: 'POST', headers: {...headersFor('POST', {}), 'Content-Type': 'application/json'}, cache: 'no-store', body: JSON.stringify(body)});
  } catch {
    throw new ApiError(0, 'unavailable', 'The server cannot be reached.');
  }
  if (response.ok) return response.blob();
  if (response.status === 401) hooks.signedOut();
  throw errorOf(response.status, await response.json().catch(() => ({})) as ErrorBody);
}

export const call = async <T>(method: string, path: string, body?: unknown, options?: CallOptions): Promise<T> =>
  (await ask<T>(method, path, body, options)).value;
export const get = <T>(path: string): Promise<T> => call<T>('GET', path);
export const post = <T>(path: string, body: unknown = {}, options?: CallOptions): Promise<T> => call<T>('POST', path, body, options);

export const newKey = (): string => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

// A path of texts that may hold anything, with a query.
export function pathOf(parts: string[], query: Record<string, string | number | undefined> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== '') search.set(name, String(value));
  const tail = search.toString();
  return `/${parts.map(encodeURIComponent).join('/')}${tail ? `?${tail}` : ''}`;
}
