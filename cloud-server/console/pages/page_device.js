import {get, post} from './api.js';
import {badge, bytes, h, problem, row, table, time} from './dom.js';

async function whyCard(id) {
  try {
    const why = await get(`/devices/${encodeURIComponent(id)}/why`);
    return h('p', {class: 'card', id: 'why'}, h('strong', {}, why.assigned ? 'Has the release: ' : 'Why: '), why.text);
  } catch (error) {
    return error.status === 404 ? h('p', {class: 'muted'}, 'There is no release yet.') : h('p', {class: 'bad'}, error.message);
  }
}

export const page = {
  title: 'Device',
  route: 'devices',
  argument: true,
  async render(context, id) {
    const device = await get(`/devices/${encodeURIComponent(id)}`);
    const block = h('button', {class: 'danger', onclick: () => context.act(block, async () => {
      await post(`/devices/${encodeURIComponent(id)}/block`, {blocked: !device.blocked});
      context.refresh();
    })}, device.blocked ? 'Unblock' : 'Block');
    context.show(h('h1', {}, 'Device ', h('span', {class: 'mono'}, id)),
        h('p', {}, `${device.os}, app ${device.app_version}, class ${device.device_class}, own tags ${device.tags.join(', ') || 'none'}, `,
            `operator's tags ${device.operator_tags.join(', ') || 'none'}; `,
            `runtime ${device.runtime_version}; joined ${time(device.enrolled_ms)}, last seen ${time(device.last_seen_ms)}`),
        await whyCard(id), h('div', {class: 'actions'}, block),
        h('h2', {}, 'Releases'), table(['Release', 'Outcome', 'Step', 'Pulled', 'Error'], device.members.map((member) => row([
          h('a', {href: `#/releases/${member.release}`}, member.release), badge(member.outcome), member.step,
          `${bytes(member.bytes_pulled)}${member.was_delta ? ' (delta)' : ''}`, problem(member)])), 'No release has reached it.'),
        h('h2', {}, 'Reports'), table(['Time', 'Step', 'Package', 'Version', 'Error'], device.reports.map((report) => row([
          time(report.time_ms), report.step, report.package, report.version, problem(report)])), 'It has reported nothing.'));
  },
};
