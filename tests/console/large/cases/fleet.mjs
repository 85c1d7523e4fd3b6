// What an operator does with a large fleet, held against what the interface says.
import {api, check, equal, facts, shows, signIn, until, visit} from '../../browser.mjs';

const counted = (number) => number.toLocaleString('en-US');
const total = async (filter) => (await api('GET', `/devices?limit=1&total=1&filter=${encodeURIComponent(filter)}`)).total;
const foot = async (page) => (await page.locator('#devices .table-foot').innerText()).replaceAll(/[\s\u00a0\u202f,.]/g, '');
const finds = (page, number) => until(`${number} devices`, async () => (await foot(page)).includes(String(number)), 30_000);

async function search(page, filter) {
  // Pasted over what is there: text that is put in past the editor brings styles of the browser's own.
  await page.evaluate((text) => navigator.clipboard.writeText(text), filter);
  await page.locator('#fleet-rule .cm-content').click();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Control+v');
  await page.click('#do-search');
}

export default {
  'the whole fleet is counted, and searches find what the interface counts': [async (page) => {
    await signIn(page, {at: '#/fleet'});
    await finds(page, facts.count);
    for (const filter of ['os == "linux"', 'text("a1f")', 'app_version >= "3.0.0" and not tag("beta")', 'tag("eu") and free_space > 32 GiB', 'text("nowhere")']) {
      const wanted = await total(filter);
      await search(page, filter);
      if (wanted === 0) await shows(page, 'main', 'No device fits the search');
      else await finds(page, wanted);
    }
  }, {most_ms: 120_000}],

  'few rows are drawn however far one scrolls, and none comes twice': async (page) => {
    await signIn(page, {at: '#/fleet'});
    await finds(page, facts.count);
    const box = page.locator('#devices .long-scroll');
    const seen = [];
    for (let step = 0; step < 30; ++step) {
      const rows = await page.locator('#devices tbody tr[data-link]').evaluateAll((found) => found.map((row) => [Number(row.getAttribute('aria-rowindex')), row.dataset.link]));
      check(rows.length < 120, `${rows.length} rows are drawn`);
      for (const [index, link] of rows) seen[index] = link;
      await box.evaluate((element) => { element.scrollTop += element.clientHeight * 0.8; });
      await page.waitForTimeout(60);
    }
    const links = seen.slice(1);
    check(links.length > 300, `${links.length} rows were seen`);
    equal(new Set(links).size, links.length, 'devices of as many rows');
    equal(links, [...links].sort(), 'in order of their ids');
  },

  'a facet narrows the search to what it counts': async (page) => {
    await signIn(page, {at: '#/fleet'});
    const value = page.locator('.facet', {hasText: 'Class'}).locator('.facet-value').first();
    const number = Number((await value.locator('.number').innerText()).replaceAll(/\D/g, ''));
    await value.click();
    await finds(page, number);
    equal(await total(new URLSearchParams(page.url().split('?')[1]).get('filter')), number, 'what the interface counts');
  },

  'a tag for a search reaches exactly its devices, and is taken back': [async (page) => {
    const filter = 'tag("beta") and os == "linux" and app_version >= "3.5.0"';
    const wanted = await total(filter);
    check(wanted > 10, `only ${wanted} devices for the test`);
    await signIn(page, {at: `#/fleet?filter=${encodeURIComponent(filter)}`});
    await finds(page, wanted);
    await page.locator('#bulk summary').click();
    await page.getByLabel('Tag', {exact: true}).fill('spring');
    await page.click('#bulk-preview');
    await shows(page, '#question', `${counted(wanted)} devices`);
    await page.click('#question-do');
    await page.locator('#bulk-undo').waitFor({timeout: 30_000});
    equal(await total('tag("spring")'), wanted, 'tagged');
    equal(await total(`(${filter}) and tag("spring")`), wanted, 'all of them of the search');
    await page.click('#bulk-undo');
    await until('none to be tagged', async () => await total('tag("spring")') === 0, 30_000);
  }, {most_ms: 90_000}],

  'a preview counts the fleet, and a release of many lists them in pages': [async (page) => {
    const release = (await api('GET', '/releases?limit=200')).releases.find((item) => item.counts.members > 10_000);
    await signIn(page, {at: `#/releases/${release.id}`});
    await until('its devices', async () => (await page.locator('#members .table-foot').innerText()).replaceAll(/\D/g, '').includes(String(release.counts.members)), 30_000);
    check(await page.locator('#members tbody tr').count() < 150, 'all rows are drawn');
    await visit(page, '#/releases/new');
    await page.check('#who-rule');
    await page.locator('#rule .cm-content').fill('os == "ios"');
    const wanted = await total('os == "ios" and blocked == "false"');
    await until('the count', async () => (await page.locator('#reached').innerText()).replaceAll(/[,\s\u00a0\u202f]/g, '').includes(String(wanted)), 30_000);
  }, {most_ms: 90_000}],
};
