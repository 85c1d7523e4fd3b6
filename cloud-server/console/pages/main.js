// Entry: which page the URL's fragment names, login, and live events passed to the page that is shown.
import {ApiError, listen, post, setToken, token} from './api.js';
import {h, notice} from './dom.js';
import {page as device} from './page_device.js';
import {page as devices} from './page_devices.js';
import {page as login} from './page_login.js';
import {page as models} from './page_models.js';
import {page as packages} from './page_packages.js';
import {page as release} from './page_release.js';
import {page as releases} from './page_releases.js';

// One row a page; `nav` puts it into the header.
const PAGES = [device, devices, models, packages, release, releases];

let current = null;
let stopListening = null;

const place = document.getElementById('page');

// What a page may do. A page that was left, or asked for anew, while it still waited for the server draws nothing.
const contextOf = (view) => ({
  show: (...children) => { if (view === current) place.replaceChildren(...children); },
  go: (route) => { location.hash = route; },
  refresh: () => route(),
  // Runs an action of a button: disables it meanwhile, shows what went wrong.
  act: async (button, work) => {
    button.disabled = true;
    try {
      await work();
    } catch (error) {
      notice(error.message);
    } finally {
      button.disabled = false;
    }
  },
});

function connect() {
  if (stopListening || !token()) return;
  const state = document.getElementById('connection');
  stopListening = listen(
      (kind, value) => current?.page.live?.(current.context, kind, value, current.argument),
      (connected) => { state.textContent = connected ? 'live' : 'reconnecting'; });
}

function disconnect() {
  stopListening?.();
  stopListening = null;
  document.getElementById('connection').textContent = '';
}

function drawFrame(active) {
  const nav = document.getElementById('nav');
  nav.replaceChildren(...(token() ? PAGES : []).filter((page) => page.nav).map(
      (page) => h('a', {href: `#/${page.route}`, class: page === active ? 'current' : undefined}, page.nav)));
  document.getElementById('logout').hidden = !token();
}

async function route() {
  const [name, argument] = location.hash.replace(/^#\//, '').split('/').map(decodeURIComponent);
  const page = !token() ? login : PAGES.find((item) => item.route === name && Boolean(item.argument) === Boolean(argument)) || releases;
  const view = {page, argument};
  view.context = contextOf(view);
  current = view;
  drawFrame(page);
  document.title = `${page.title} - Ferry`;
  try {
    await page.render(view.context, argument);
    connect();
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return;
    view.context.show(h('h1', {}, page.title), h('p', {class: 'bad'}, error.message));
  }
}

window.addEventListener('hashchange', route);
window.addEventListener('ferry-logged-out', () => { disconnect(); route(); });
document.getElementById('logout').addEventListener('click', async () => {
  try {
    await post('/logout');
  } catch {
    // The token is forgotten here whatever the server says.
  }
  setToken(null);
  disconnect();
  route();
});
route();
