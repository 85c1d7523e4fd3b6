import {get, post} from './api.js';
import {badge, h, row, table, time} from './dom.js';

const STAGES = `simulation
beta tag("beta") seconds=60
gray 5 seconds=60
gray 25 seconds=60
full`;

// "kind [rule or percent] [reports=N] [seconds=N] [hold]", one stage a line; the server checks what it means.
export function parseStages(text) {
  return text.split('\n').map((line) => line.trim()).filter(Boolean).map((line) => {
    const stage = {kind: line.split(/\s+/)[0]};
    let rest = line.slice(stage.kind.length).trim();
    rest = rest.replace(/\breports=(\d+)/, (_, n) => { stage.min_reports = Number(n); return ''; });
    rest = rest.replace(/\bseconds=(\d+)/, (_, n) => { stage.min_healthy_ms = Number(n) * 1000; return ''; });
    rest = rest.replace(/\bhold\b/, () => { stage.hold = true; return ''; }).trim();
    if (stage.kind === 'gray') stage.percent = Number(rest.replace('%', ''));
    else if (rest) stage.who = rest;
    return stage;
  });
}

function previewTable(preview) {
  return [
    h('p', {}, h('strong', {id: 'reached'}, `Reaches ${preview.matched} devices.`)),
    table(['Stage', 'Kind', 'Adds', 'Devices'], preview.stages.map((stage) => row([
      String(stage.index), stage.kind, String(stage.adds.length), stage.adds.map((id) => id.slice(0, 12)).join(', ')])), 'No stages.'),
    preview.outside.length === 0 ? null : h('details', {}, h('summary', {}, `${preview.outside.length} outside`),
        table(['Device', 'Why not'], preview.outside.map((item) => row([item.device.slice(0, 12), item.why])), '')),
  ];
}

// Versions that were taken back from devices; the server refuses them too.
const TAKEN_BACK = ['rolling_back', 'rolled_back', 'stopped'];

function startForm(context, packages, releases) {
  const takenBack = (item) => releases.some((release) => TAKEN_BACK.includes(release.state) && release.counts.members > 0 &&
      release.package === item.name && release.version === item.version);
  // The newest first: it is what people come to release. What was taken back is not offered.
  const newest = packages.filter((item) => !takenBack(item)).sort((a, b) => b.published_ms - a.published_ms || b.release_counter - a.release_counter);
  if (newest.length === 0) return h('p', {class: 'muted'}, 'Every published version was taken back from devices: publish a new one.');
  const which = h('select', {id: 'package'}, newest.map((item) => h('option', {}, `${item.name}@${item.version}`)));
  const rule = h('textarea', {id: 'rule', rows: 2, placeholder: 'os == "android" and app_version >= "1.2.0" and device_class in ("high", "mid")'});
  const salt = h('input', {id: 'salt', placeholder: 'made by the server'});
  const stages = h('textarea', {id: 'stages', rows: 5}, STAGES);
  const result = h('div', {id: 'preview-result'});
  const request = () => {
    const [name, version] = which.value.split('@');
    const body = {package: name, version, rule: rule.value.trim(), stages: parseStages(stages.value)};
    return salt.value ? {...body, salt: salt.value} : body;
  };
  const preview = h('button', {type: 'button', id: 'preview', onclick: () => context.act(preview, async () => {
    const {version, ...body} = request();
    const shown = await post('/releases/preview', body);
    salt.value = shown.salt;  // the release reaches the devices that are shown here
    result.replaceChildren(...previewTable(shown).filter(Boolean));
  })}, 'Whom does it reach?');
  const start = h('button', {class: 'primary', id: 'start'}, 'Start the release');
  return h('form', {class: 'card', onsubmit: (event) => {
    event.preventDefault();
    context.act(start, async () => context.go(`/releases/${(await post('/releases', {...request(), start: true})).id}`));
  }}, h('label', {}, 'Package', which), h('label', {}, 'Rule: who may get it (empty: every device)', rule),
  h('label', {}, 'Salt of percentages', salt),
  h('label', {}, 'Stages, one a line: kind, then a rule or a percentage; reports=N and seconds=N hold a stage, hold waits for you', stages),
  h('div', {class: 'actions'}, preview, start), result);
}

export const page = {
  title: 'Releases',
  route: 'releases',
  nav: 'Releases',
  async render(context) {
    const [{releases}, {packages}] = await Promise.all([get('/releases'), get('/packages')]);
    context.show(h('h1', {}, 'Releases'),
        table(['Release', 'State', 'Devices', 'Healthy', 'Failed', 'Why it stands there', 'Made'], releases.map((item) => row([
          h('a', {href: `#/releases/${item.id}`}, item.id), badge(item.state), String(item.counts.members), String(item.counts.healthy),
          String(item.counts.failed), item.reason, time(item.created_ms)])), 'No release yet.'),
        h('h2', {}, 'Start a release'),
        packages.length ? startForm(context, packages, releases) : h('p', {class: 'muted'}, 'Publish a package first.'));
  },
};
