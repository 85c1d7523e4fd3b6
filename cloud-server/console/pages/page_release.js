import {get, post} from './api.js';
import {badge, bytes, h, problem, row, table, time} from './dom.js';

function stageBar(release) {
  return h('ol', {class: 'stages'}, release.stages.map((stage) => {
    const state = stage.left_ms || release.state === 'complete' ? 'done' : stage.entered_ms && stage.index === release.stage ? 'now' : '';
    const who = stage.kind === 'gray' ? `${stage.percent} %` : stage.who || '';
    return h('li', {class: state, 'data-kind': stage.kind}, h('strong', {}, stage.kind), ' ', who,
        h('div', {class: 'muted'}, stage.entered_ms ? `${stage.members} of ${stage.planned} devices` : 'not yet'));
  }));
}

function actions(context, release) {
  const button = (name, verb, className, shown, question) => {
    if (!shown) return null;
    const element = h('button', {id: verb, class: className, onclick: () => {
      if (question && !confirm(question)) return;
      context.act(element, async () => { await post(`/releases/${release.id}/${verb}`); await context.refresh(); });
    }}, name);
    return element;
  };
  const moving = ['simulating', 'beta', 'gray', 'full'].includes(release.state);
  return h('div', {class: 'actions'},
      button('Start', 'start', 'primary', release.state === 'draft'),
      button('Pause', 'pause', '', moving),
      button('Resume', 'resume', 'primary', release.state === 'paused'),
      // A held stage goes on when a person says so: the same call as after a pause.
      button('Approve', 'resume', 'primary', moving && Boolean(release.stages[release.stage]?.hold)),
      button('Roll back', 'rollback', 'danger', moving || ['paused', 'complete'].includes(release.state),
          `Send every device of ${release.id} back to ${release.fallback_version || 'what it had'}?`));
}

function draw(context, release) {
  context.show(h('h1', {}, `${release.package} ${release.version} `, badge(release.state)),
      h('p', {id: 'reason', class: 'card'}, release.reason || 'Nothing happened yet.'),
      stageBar(release), actions(context, release),
      h('p', {class: 'muted'}, 'Rule ', h('code', {}, release.rule || 'every device'), ', salt ', h('code', {}, release.salt),
          `, fallback ${release.fallback_version || 'none'}`),
      h('h2', {}, 'Gates'), table(['Slice', 'Devices', 'Failed', 'Evidence', 'Stops at'], release.gates.map((gate) => row([
        gate.slice, String(gate.devices), String(gate.failed),
        h('span', {class: gate.stop ? 'bad' : ''}, Number(gate.evidence).toPrecision(4)), String(gate.threshold)])),
      'No device has answered yet.'),
      h('h2', {}, 'Why it moved'), table(['Time', 'What', ''], release.events.map((event) => row([
        time(event.time_ms), event.text, h('span', {class: 'muted mono'}, Object.entries(event.numbers).map(
            ([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : value}`).join(' '))])), ''),
      h('h2', {}, 'Devices'), table(['Device', 'Outcome', 'Step', 'Pulled', 'By', 'Error'], release.members.map((member) => row([
        h('a', {href: `#/devices/${member.device}`, class: 'mono'}, member.device.slice(0, 12)), badge(member.outcome), member.step,
        `${bytes(member.bytes_pulled)}${member.was_delta ? ' (delta)' : ''}`, member.by_push ? 'push' : 'poll',
        problem(member)])), 'It has reached no device yet.'));
}

export const page = {
  title: 'Release',
  route: 'releases',
  argument: true,
  async render(context, id) {
    draw(context, await get(`/releases/${encodeURIComponent(id)}`));
  },
  // A live event says that the release changed; the whole view is read anew, so that it is never half old.
  live(context, kind, value, id) {
    if (kind === 'release' && value.id === id) context.refresh();
  },
};
