// Entry: the frame around the pages, and the door before them.
import {render} from 'preact';
import {useEffect, useRef, useState} from 'preact/hooks';
import {reachable} from './api/client';
import {begin, session, signOut} from './api/session';
import {connection, startLive, status} from './live/client';
import type {Connection} from './live/stream';
import {fetchRest} from './pages/later';
import {PAGES} from './pages/list';
import {SignInDialog, SignInPage} from './pages/sign_in';
import {Button} from './parts/button';
import {Questions} from './parts/dialog';
import {arrive, PageHead} from './parts/page';
import {Toasts} from './parts/toast';
import {route} from './route';
import {useStore} from './store';

const CONNECTION_WORDS: Record<Connection, string> = {
  connecting: 'connecting', live: 'live', waiting: 'reconnecting', polling: 'every 10 s', lost: 'no server', 'signed-out': 'signed out',
};

function Head() {
  const where = useStore(route);
  const state = useStore(connection);
  const who = useStore(session);
  const now = useStore(status);
  const [open, setOpen] = useState(false);
  useEffect(() => setOpen(false), [where]);
  const user = who.kind === 'in' || who.kind === 'expired' ? who.session : null;
  return (
    <div class="frame-head">
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.querySelector<HTMLElement>('main h1')?.focus(); }}>Skip to the page</a>
      <div class="frame-bar">
        <a class="brand" href="#/home"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M2 9h12l-2 4H4zM7 2h2v6H7zM9 3l4 2-4 2z" /></svg>Ferry</a>
        <nav class="frame-nav" id="nav" data-open={open} aria-label="Pages">
          {PAGES.map((page) => <a key={page.route} href={`#/${page.route}`} aria-current={where.path[0] === page.route ? 'page' : undefined}>{page.name}</a>)}
        </nav>
        <div class="frame-side">
          <span class="connection" id="connection" role="status" data-state={state} title={now ? `ferry-server ${now.version}` : undefined}>{CONNECTION_WORDS[state]}</span>
          <a class="muted" href="#/admin/me" id="user" title={user?.role}>{user?.user}</a>
          <Button kind="plain" small id="sign-out" onPress={signOut}>Sign out</Button>
          <button type="button" class="button small menu-button" aria-expanded={open} aria-controls="nav" onClick={() => setOpen(!open)}>Menu</button>
        </div>
      </div>
    </div>
  );
}

function Banner() {
  const state = useStore(connection);
  const reached = useStore(reachable);
  if (state === 'lost' || !reached)
    return <div class="banner" data-tone="bad" role="alert" id="banner">The server cannot be reached. What is shown may be old; the page goes on by itself when the server is back.</div>;
  return null;
}

function Body() {
  const where = useStore(route);
  const name = where.path[0] ?? 'home';
  const page = PAGES.find((item) => item.route === name);
  const key = where.path.join('/');
  // A reader of the screen hears the new page; the first one is where the document begins.
  const shown = useRef(key);
  if (shown.current !== key) { shown.current = key; arrive(); }
  useEffect(() => window.scrollTo(0, 0), [key]);
  return (
    <main class="page" id="main">
      {page ? <page.Show key={key} path={where.path.slice(1)} query={where.query} /> : <Unknown />}
    </main>
  );
}

const Unknown = () => (
  <>
    <PageHead title="There is no such page" />
    <p class="empty">The address names no page of the console. <a href="#/home">Home</a></p>
  </>
);

function App() {
  const who = useStore(session);
  if (who.kind === 'starting') return null;
  if (who.kind === 'out') return <><SignInPage /><Toasts /></>;
  return (
    <>
      <Head />
      <Banner />
      <Body />
      <Questions />
      {who.kind === 'expired' && <SignInDialog user={who.session.user} />}
      <Toasts />
    </>
  );
}

const place = document.getElementById('app');
if (place) {
  place.replaceChildren();
  begin();
  render(<App />, place);
  // What the page shows first goes before the events that keep it fresh.
  const later = window.requestIdleCallback ?? ((work: () => void) => window.setTimeout(work, 200));
  later(() => { startLive(); void fetchRest().catch(() => {}); }, {timeout: 1_000});
}
