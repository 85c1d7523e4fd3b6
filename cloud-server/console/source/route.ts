// Where the reader is: the URL's fragment, a path and a query. Filters, sort and open rows live there, so that a
// link shows what its sender saw.
import {Store} from './store';

export interface Route {
  path: string[];
  query: URLSearchParams;
}

export function parseRoute(fragment: string): Route {
  const text = fragment.replace(/^#?\/?/, '');
  const mark = text.indexOf('?');
  const path = (mark < 0 ? text : text.slice(0, mark)).split('/').filter(Boolean).map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  return {path, query: new URLSearchParams(mark < 0 ? '' : text.slice(mark + 1))};
}

export function linkTo(path: string[], query: Record<string, string | undefined> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) search.set(name, value);
  const tail = search.toString();
  return `#/${path.map(encodeURIComponent).join('/')}${tail ? `?${tail}` : ''}`;
}

// What the server called the reason, when it sent the browser back from an issuer without a session; it leaves the address.
export const refusedBefore = new URLSearchParams(location.search).get('refused') ?? '';
if (refusedBefore) history.replaceState(null, '', `${location.pathname}${location.hash}`);

export const route = new Store<Route>(parseRoute(location.hash));
window.addEventListener('hashchange', () => route.set(parseRoute(location.hash)));

export function go(link: string): void {
  location.hash = link;
}

// Changes the query of the present page and leaves no step in the history.
export function setQuery(changes: Record<string, string | undefined>): void {
  const now = route.get();
  const query: Record<string, string | undefined> = Object.fromEntries(now.query);
  history.replaceState(null, '', linkTo(now.path, {...query, ...changes}));
  route.set(parseRoute(location.hash));
}
