import {get} from './api.js';
import {h, row, table, time} from './dom.js';

const PAGE_SIZE = 200;

export const page = {
  title: 'Devices',
  route: 'devices',
  nav: 'Devices',
  async render(context) {
    const devices = [];
    const more = h('button', {onclick: () => context.act(more, load)}, 'More');
    const place = h('div', {});
    let next = '';
    async function load() {
      const answer = await get(`/devices?limit=${PAGE_SIZE}${next ? `&after=${encodeURIComponent(next)}` : ''}`);
      devices.push(...answer.devices);
      next = answer.next;
      more.hidden = !next;
      place.replaceChildren(table(['Device', 'OS', 'App', 'Class', 'Tags', 'Running', 'Last seen'], devices.map((device) => row([
        h('a', {href: `#/devices/${device.id}`, class: 'mono'}, device.id.slice(0, 12)), device.os, device.app_version,
        device.device_class, [...device.operator_tags, ...device.tags].join(', '),
        Object.entries(device.running).map(([name, version]) => `${name} ${version}`).join(', ') || '-',
        device.blocked ? h('span', {class: 'bad'}, 'blocked') : time(device.last_seen_ms)])),
      'No device has joined. Make a join token (ferry device join-token) and give it to ferry-device run --join.'));
    }
    context.show(h('h1', {}, 'Devices'), place, more);
    await load();
  },
  live(context, kind) {
    if (kind === 'release') context.refresh();
  },
};
