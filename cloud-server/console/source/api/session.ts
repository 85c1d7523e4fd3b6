// Who is signed in. The session is a cookie that scripts cannot read; a server that knows no cookies gives a token,
// which stays in this page's memory and ends with it.
import {Store} from '../store';
import {call, credentials, get, hooks, pathOf, post} from './client';

export interface Session {
  user: string;
  role: string;
  packages: string[];
  groups: string[];
  features: string[];
  expires_ms: number;
  oidc: boolean;  // an issuer vouches for the user, who has no password here
}

export type SessionState =
  | {kind: 'starting'}
  | {kind: 'out'}
  | {kind: 'in'; session: Session}
  | {kind: 'expired'; session: Session};  // the page stays; signing in goes on where one was

export const session = new Store<SessionState>({kind: 'starting'});

interface SessionBody extends Partial<Session> { csrf?: string }

const complete = (body: SessionBody): Session => ({user: body.user ?? 'admin', role: body.role ?? 'admin', packages: body.packages ?? [],
  groups: body.groups ?? [], features: body.features ?? [], expires_ms: body.expires_ms ?? 0, oidc: body.oidc ?? false});

export const present = (): Session | null => {
  const state = session.get();
  return state.kind === 'in' || state.kind === 'expired' ? state.session : null;
};
export const has = (feature: string): boolean => present()?.features.includes(feature) ?? false;

const ROLE_RIGHTS: Record<string, string[]> = {
  viewer: [], developer: ['read'], releaser: ['release', 'stop'], approver: ['stop', 'approve'], admin: ['release', 'stop', 'approve', 'admin', 'read'],
};
export type Right = 'release' | 'stop' | 'approve' | 'admin' | 'read';
// What the role allows; the server decides, this only hides what would be refused.
export const may = (right: Right): boolean => (ROLE_RIGHTS[present()?.role ?? ''] ?? []).includes(right);

hooks.signedOut = () => {
  const state = session.get();
  if (state.kind === 'in') session.set({kind: 'expired', session: state.session});
};

function enter(body: SessionBody): void {
  credentials.csrf = body.csrf ?? '';
  session.set({kind: 'in', session: complete(body)});
}

// The session that the server wrote into the page, if somebody was signed in as it was sent.
function written(): SessionBody | null {
  const place = document.querySelector<HTMLMetaElement>('meta[name="ferry-session"]');
  place?.remove();
  if (!place?.content.startsWith('{"')) return null;
  return JSON.parse(place.content) as SessionBody;
}

// At the start of the page.
export function begin(): void {
  const body = written();
  if (body) enter(body);
  else void resume();
}

// Takes the session that is there, at the start of the page or after another tab signed in.
export async function resume(): Promise<boolean> {
  try {
    enter(await call<SessionBody>('GET', '/session', undefined, {open: true}));
    return true;
  } catch {
    if (session.get().kind === 'starting') session.set({kind: 'out'});
    return false;
  }
}
hooks.renew = resume;

async function bearerSession(token: string, expires_ms: number): Promise<void> {
  credentials.bearer = token;
  const [me, status] = await Promise.all([
    get<{name: string; role: string; packages: string[]; groups: string[]}>('/me').catch(() => null),
    get<{features?: string[]}>('/status')]);
  enter({user: me?.name, role: me?.role, packages: me?.packages, groups: me?.groups, features: status.features, expires_ms});
}

export async function signIn(user: string, password: string, code: string): Promise<void> {
  const body = {password, cookie: true, ...(user ? {user} : {}), ...(code ? {code} : {})};
  const answer = await call<SessionBody & {token?: string}>('POST', '/login', body, {open: true});
  if (answer.token) await bearerSession(answer.token, answer.expires_ms ?? 0);
  else {
    credentials.bearer = '';
    credentials.csrf = answer.csrf ?? '';
    enter(await get<SessionBody>('/session'));
  }
}

export interface Provider { name: string | null; refused: string | null }
export const provider = (refused: string): Promise<Provider> => call<Provider>('GET', pathOf(['oidc'], {refused}), undefined, {open: true});

// Away to the issuer, which sends the browser back to where it was.
export async function leaveToProvider(): Promise<void> {
  const {url} = await call<{url: string}>('GET', pathOf(['oidc', 'start'], {goal: location.hash.startsWith('#/') ? location.hash : ''}), undefined, {open: true});
  location.assign(url);
}

export async function signOut(): Promise<void> {
  try {
    await post('/logout');
  } catch {
    // Whatever the server says, this page forgets.
  }
  credentials.bearer = credentials.csrf = '';
  session.set({kind: 'out'});
}
