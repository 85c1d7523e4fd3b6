import {get} from './api.js';
import {bytes, h, row, table} from './dom.js';

const digits = (value, places) => (value === null || value < 0 ? '-' : value.toFixed(places));

function targetRow(target) {
  return row([
    `${target.name} ${target.version}`, h('span', {class: 'mono'}, target.digest), `${(target.parameters / 1e6).toFixed(1)} M, ${target.weights}`,
    target.sessions, target.passes, target.passes ? digits(target.tokens / target.passes, 1) : '-', target.largest_batch,
    `${bytes(target.kv_used_bytes)} of ${bytes(target.kv_limit_bytes)}`]);
}

function sessionRow(session) {
  return row([
    h('a', {href: `#/devices/${session.device}`, class: 'mono'}, session.device.slice(0, 12)), session.target, session.draft || '-',
    session.connected ? session.mode : `${session.mode}, away`, session.emitted, digits(session.acceptance, 2), digits(session.tokens_per_s, 1),
    session.round_trip_ms === null ? '-' : `${digits(session.round_trip_ms, 1)} ms`, `${bytes(session.bytes_up)} / ${bytes(session.bytes_down)}`],
  {class: 'session'});
}

function draw(place, state) {
  const nothing = state.enabled ? 'No session.' : 'This server verifies no language model: ferry-server run --verify PACKAGE.';
  place.replaceChildren(
      h('h2', {}, 'Targets'),
      table(['Target', 'Digest', 'Model', 'Sessions', 'Passes', 'Tokens a pass', 'Largest batch', 'KV memory'], state.targets.map(targetRow),
          state.enabled ? 'The target is not published yet.' : nothing),
      h('h2', {}, 'Live sessions'),
      table(['Device', 'Target', 'Draft', 'Mode', 'Tokens', 'Acceptance', 'Tokens/s', 'Round trip', 'Up / down'],
          state.sessions.map(sessionRow), nothing));
}

let shown = null;

export const page = {
  title: 'Language models',
  route: 'models',
  nav: 'Language models',
  async render(context) {
    const [targets, sessions] = await Promise.all([get('/verify/targets'), get('/verify/sessions')]);
    shown = h('div', {id: 'models'});
    draw(shown, {...targets, ...sessions});
    context.show(h('h1', {}, 'Language models'), shown);
  },
  live(context, kind, value) {
    if (kind === 'verify' && shown) draw(shown, value);
  },
};
