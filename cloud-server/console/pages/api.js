// The admin REST: adds the token, turns error bodies into messages, and keeps one stream of live events.

const KEY = 'ferry-token';

export class ApiError extends Error {
  constructor(status, name, text) {
    super(`${name}: ${text}`);
    this.status = status;
    this.name = name;
  }
}

export const token = () => sessionStorage.getItem(KEY);

export function setToken(value) {
  if (value) sessionStorage.setItem(KEY, value);
  else sessionStorage.removeItem(KEY);
}

export async function call(method, path, body) {
  const raw = body instanceof Blob || body instanceof Uint8Array;
  const headers = {};
  if (token()) headers.Authorization = `Bearer ${token()}`;
  if (body !== undefined) headers['Content-Type'] = raw ? 'application/octet-stream' : 'application/json';
  let response;
  try {
    response = await fetch(`/api/v1${path}`, {method, headers, body: raw || body === undefined ? body : JSON.stringify(body)});
  } catch {
    throw new ApiError(0, 'unavailable', 'the server cannot be reached');
  }
  const text = await response.text();
  let value = {};
  try {
    value = text ? JSON.parse(text) : {};
  } catch {
    throw new ApiError(response.status, 'malformed', 'the server sent something that is not JSON');
  }
  if (!response.ok) {
    const error = value.error || {name: 'internal', text: `status ${response.status}`};
    if (response.status === 401 && path !== '/login') {
      setToken(null);
      window.dispatchEvent(new Event('ferry-logged-out'));
    }
    throw new ApiError(response.status, error.name, error.text);
  }
  return value;
}

export const get = (path) => call('GET', path);
export const post = (path, body = {}) => call('POST', path, body);

// Calls onEvent(kind, value) for each live event and onState(connected); reconnects by itself. Returns a function that ends it.
export function listen(onEvent, onState) {
  const source = new EventSource(`/api/v1/live?token=${encodeURIComponent(token())}`);
  for (const kind of ['release', 'status', 'verify']) {
    source.addEventListener(kind, (event) => onEvent(kind, JSON.parse(event.data)));
  }
  source.onopen = () => onState(true);
  source.onerror = () => onState(false);
  return () => source.close();
}
