import {call, get, post} from './api.js';
import {readBundle} from './bundle.js';
import {bytes, h, notice, row, table, time} from './dom.js';

async function upload(file, progress) {
  const bundle = await readBundle(file);
  for (const [index, item] of bundle.content.entries()) {
    progress.textContent = `file ${index + 1} of ${bundle.content.length}`;
    await call('PUT', `/content/${item.sha256}`, item.blob);
  }
  progress.textContent = 'signatures';
  const answer = await post('/packages', bundle.publish);
  return answer.packages.map((item) => `${item.name} ${item.version}`).join(', ') || 'nothing new';
}

export const page = {
  title: 'Packages',
  route: 'packages',
  nav: 'Packages',
  async render(context) {
    const {packages} = await get('/packages');
    packages.sort((a, b) => b.published_ms - a.published_ms || b.release_counter - a.release_counter);
    const file = h('input', {type: 'file', id: 'bundle', required: true});
    const progress = h('span', {class: 'muted', role: 'status'});
    const button = h('button', {class: 'primary', id: 'upload'}, 'Upload');
    const form = h('form', {class: 'card', onsubmit: (event) => {
      event.preventDefault();
      context.act(button, async () => {
        const what = await upload(file.files[0], progress);
        await context.refresh();
        notice(`Published: ${what}`);
      });
    }}, h('label', {}, 'A signed publish bundle, made with: ferry publish --bundle', file), h('div', {class: 'actions'}, button, progress));
    context.show(h('h1', {}, 'Packages'), form,
        table(['Package', 'Version', 'Size', 'Fallback', 'Published'], packages.map((item) => row([
          item.name, item.version, bytes(item.plain_length), item.fallback_version || '-', time(item.published_ms),
          ])),
        'Nothing is published yet.'));
  },
};
