// The fleet with a real server: bulk changes and their undo, kept searches, why, and a block.
import {api, check, equal, facts, shows, signIn, until, visit} from '../browser.mjs';

const tagsOf = async (name) => (await api('GET', `/devices/${facts.devices[name]}`)).operator_tags;
const LINUX = '#/fleet?filter=os+%3D%3D+%22linux%22';

export default {
  'a tag is given to the devices of a search, once, and taken back': async (page) => {
    await signIn(page, {at: LINUX});
    await shows(page, '#devices', '2 devices');
    await page.locator('#bulk summary').click();
    await page.getByLabel('Tag', {exact: true}).fill('spring');
    await page.click('#bulk-preview');
    await shows(page, '#question', '2 devices match');
    await shows(page, '#question', '2 devices would change');
    equal(await tagsOf('near'), [], 'tags before a yes');
    await page.locator('#question-do').dblclick();
    await shows(page, '#devices', 'spring');
    equal([await tagsOf('near'), await tagsOf('mid'), await tagsOf('far')], [['spring'], ['spring'], []], 'tags');
    const rows = (await api('GET', '/audit?limit=200')).rows.filter((row) => row.action === 'POST /api/v1/devices/bulk' && row.outcome === 'done');
    equal(rows.length, 2, 'rows of the log: the preview, and one for two presses');
    await page.click('#bulk-undo');
    await until('the tags to be gone', async () => (await tagsOf('near')).length === 0 && (await tagsOf('mid')).length === 0);
    await until('the page to show it', async () => !(await page.locator('#devices').innerText()).includes('spring'));
  },

  'a search is kept, found again after a reload, and forgotten': async (page) => {
    await signIn(page, {at: '#/fleet'});
    await page.locator('#fleet-rule .cm-content').fill('os == "android"');
    await page.keyboard.press('Enter');
    await shows(page, '#devices', '1 device');
    await page.click('#keep-search');
    await page.fill('#search-name', 'phones');
    await page.click('#do-keep');
    await shows(page, '#searches', 'phones');
    await page.goto('about:blank');
    await page.goto(`${facts.url}/#/fleet`);
    await shows(page, '#devices', '3 devices');
    await page.locator('#searches a', {hasText: 'phones'}).click();
    await shows(page, '#devices', '1 device');
    check(page.url().includes('android'), page.url());
    await page.getByRole('button', {name: 'Forget this search'}).click();
    await until('it to be gone', async () => (await page.locator('#searches a').count()) === 0);
    equal((await api('GET', '/users/admin/searches')).searches, [], 'kept searches');
  },

  'a device is explained, blocked and let in again': async (page) => {
    const id = (await api('POST', '/releases', {package: 'greeter', version: '1.0.0', rule: 'os == "linux"', stages: [{kind: 'full', hold: true}], start: true})).id;
    await signIn(page, {at: `#/fleet/${facts.devices.far}?release=${id}`});
    await shows(page, '#why-text', 'greeter 1.0.0');
    await shows(page, '#why-text', 'The rule leaves it out');
    await visit(page, `#/fleet/${facts.devices.near}?release=${id}`);
    await shows(page, '#why-text', 'The rule lets it in');
    await page.click('#block');
    await page.click('#question-do');
    await shows(page, 'h1', 'blocked');
    await until('the server to keep it out', async () => (await api('GET', `/devices/${facts.devices.near}`)).blocked);
    await page.click('#block');
    await page.click('#question-do');
    await until('the server to let it in', async () => !(await api('GET', `/devices/${facts.devices.near}`)).blocked);
    await api('POST', `/releases/${id}/rollback`, {why: 'enough'});
  },
};
