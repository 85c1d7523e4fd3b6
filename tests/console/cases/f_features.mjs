// What pages do with what a server may have: search, facets, bulk actions, series, second factor, two editors. The answers are given
// by the case, so that it also holds for a server that lacks them; what is not in "features" is not shown.
import {api, asksSession, check, equal, facts, quiet, shows, signIn, textOf, until} from '../browser.mjs';

// The server with these features, whatever it says itself.
async function withFeatures(page, features) {
  const add = async (route) => {
    const answer = await route.fetch();
    return answer.ok() ? route.fulfill({response: answer, json: {...await answer.json(), features}}) : route.fulfill({response: answer});
  };
  await quiet(page);
  await page.route('**/api/v1/status', add);
  await asksSession(page);
  await page.route('**/api/v1/session', add);
}

const device = (i) => ({id: String(i).padStart(64, 'a'), os: i % 2 ? 'linux' : 'android', app_version: '1.0', device_class: 'mid', tags: [], operator_tags: [], extra: {}, running: {digits: '1.0.0'},
  enrolled_ms: 1, last_seen_ms: Date.now(), blocked: false});

export default {
  'without features no search, facet or bulk action is offered': async (page) => {
    await withFeatures(page, []);
    await signIn(page, {at: '#/fleet', live: false});
    await page.locator('#devices').waitFor();
    for (const hidden of ['#fleet-search', '.facets', '#bulk']) equal(await page.locator(hidden).count(), 0, hidden);
  },

  'the fleet is searched by the server: filter and sort stand in the address, a wrong rule at its place': async (page) => {
    const asked = [];
    await withFeatures(page, ['cursor', 'facets']);
    await page.route('**/api/v1/devices?*', (route) => {
      const query = new URL(route.request().url()).searchParams;
      asked.push(Object.fromEntries(query));
      if ((query.get('filter') ?? '').includes('colour'))
        return route.fulfill({status: 400, json: {error: {code: 9, name: 'bad_rule', text: 'line 1, column 1: there is no attribute or function colour', field: 'filter', line: 1, column: 1}}});
      return route.fulfill({json: {devices: query.get('filter') ? [device(1)] : [device(1), device(2)], next_cursor: null, total: query.get('filter') ? 1 : 2}});
    });
    await page.route('**/api/v1/devices/facets*', (route) => route.fulfill({json: {total: 2, facets: {os: [{value: 'linux', count: 1}, {value: 'android', count: 1}], tags: []}}}));
    await signIn(page, {at: '#/fleet', live: false});
    await shows(page, '#devices', '2 devices');
    await page.locator('.facet-value', {hasText: 'linux'}).click();
    await shows(page, '#devices', '1 device');
    equal(new URLSearchParams(page.url().split('?')[1]).get('filter'), 'os == "linux"', 'filter of the address');
    await page.getByRole('button', {name: 'App'}).click();
    await until('the sort to be asked for', () => asked.some((query) => query.sort === 'app_version' && query.filter === 'os == "linux"'));
    await page.locator('#fleet-rule .cm-content').fill('colour == "red"');
    await page.keyboard.press('Enter');
    await shows(page, '#fleet-rule-wrong', 'no attribute or function colour');
    equal(await textOf(page, '#fleet-rule .cm-lintRange-error'), 'colour', 'underlined');
    await page.reload();
    await page.locator('#password, #fleet-rule').first().waitFor();
    if (await page.locator('#password').count()) {
      await page.fill('#password', facts.password);
      await page.click('#login');
    }
    await shows(page, '#fleet-rule-wrong', 'no attribute or function colour');
  },

  'a bulk action is shown first, done once, and taken back': async (page) => {
    const bodies = [];
    await withFeatures(page, ['cursor', 'bulk']);
    await page.route('**/api/v1/devices?*', (route) => route.fulfill({json: {devices: [device(1), device(2)], next_cursor: null, total: 2}}));
    await page.route('**/api/v1/devices/bulk', (route) => {
      const body = route.request().postDataJSON();
      bodies.push(body);
      return route.fulfill({json: {matched: 2, changed: 1, devices: [device(1).id, device(2).id], ...(body.dry_run ? {} : {undo: 'u1'})}});
    });
    await page.route('**/api/v1/devices/bulk/u1/undo', (route) => { bodies.push('undo'); return route.fulfill({json: {}}); });
    await signIn(page, {at: '#/fleet?filter=os+%3D%3D+%22linux%22', live: false});
    await page.locator('#bulk summary').click();
    await page.getByLabel('Tag', {exact: true}).fill('lab');
    await page.click('#bulk-preview');
    await shows(page, '#question', '2 devices match');
    await shows(page, '#question', '1 device would change');
    await page.locator('#question-do').dblclick();
    await page.locator('#bulk-undo').click();
    await until('the undo', () => bodies.includes('undo'));
    equal(bodies, [{filter: 'os == "linux"', action: 'tag', tag: 'lab', dry_run: true}, {filter: 'os == "linux"', action: 'tag', tag: 'lab'}, 'undo'], 'calls');
  },

  'coverage and evidence over time are drawn from the series': async (page) => {
    const release = (await api('GET', '/releases')).releases[0] ?? await api('POST', '/releases', {package: 'digits', version: '1.0.0', rule: 'all'});
    await withFeatures(page, ['series']);
    const points = Array.from({length: 60}, (_, i) => ({time_ms: Date.now() - (60 - i) * 60_000, members: i, healthy: Math.max(0, i - 3), failed: 1, back: 0, evidence: {all: [1 + i / 10, 100]}}));
    await page.route('**/series', (route) => route.fulfill({json: {points, thinned: 0}}));
    await signIn(page, {at: `#/releases/${release.id}`, live: false});
    await page.locator('.chart canvas').nth(1).waitFor();
    check((await page.locator('.chart').first().getAttribute('aria-label')).includes('devices 59'), 'what is drawn is not told');
  },

  'a second factor is asked for, and a code that does not fit says so': async (page) => {
    await quiet(page);
    await page.route('**/api/v1/login', (route) => {
      const body = route.request().postDataJSON();
      return body.code === '123456' ? route.continue() : route.fulfill({status: 401, json: {error: {code: 3, name: 'unauthenticated', text: 'a code is needed', next: 'code'}}});
    });
    await page.goto(`${facts.url}/`);
    await page.fill('#password', facts.password);
    await page.click('#login');
    await page.fill('#code', '000000');
    await page.click('#login');
    await shows(page, '#code-wrong', 'does not fit');
    await page.fill('#code', '123456');
    await page.click('#login');
    await page.locator('#user').waitFor();
  },

  'two editors: who comes second is shown what the first one kept': async (page) => {
    await withFeatures(page, ['etag']);
    const sent = [];
    let reads = 0;
    await page.route(`**/api/v1/devices/${facts.devices.far}/tags`, (route) => {
      if (route.request().method() === 'GET') {
        reads += 1;
        return route.fulfill({json: {tags: ['old']}, headers: {etag: `"e${reads}"`}});
      }
      sent.push(route.request().headers()['if-match']);
      return sent.length === 1 ? route.fulfill({status: 412, json: {error: {code: 6, name: 'failed_precondition', text: 'changed meanwhile'}, current: {tags: ['theirs']}}}) : route.fulfill({json: {}});
    });
    await signIn(page, {at: `#/fleet/${facts.devices.far}`, live: false});
    await page.click('#edit-tags');
    await until('the tags to be read', async () => (await page.locator('#tags').inputValue()) === 'old');
    await page.fill('#tags', 'mine');
    await page.click('#save-tags');
    await shows(page, 'dialog', 'Somebody changed them meanwhile: now theirs');
    equal(await page.locator('#tags').inputValue(), 'mine', 'what was typed');
    await page.click('#save-tags');
    await page.locator('dialog').waitFor({state: 'detached'});
    equal(sent, ['"e1"', '"e2"'], 'the second call goes against what was shown');
  },

  'tags that are typed before the stored ones are read stay, and cannot be saved before': async (page) => {
    await withFeatures(page, ['etag']);
    let answer = () => {};
    const asked = new Promise((resolve) => { answer = resolve; });
    let sent;
    await page.route(`**/api/v1/devices/${facts.devices.far}/tags`, async (route) => {
      if (route.request().method() === 'GET') {
        await asked;
        return route.fulfill({json: {tags: ['theirs']}, headers: {etag: '"e1"'}});
      }
      sent = {body: route.request().postDataJSON(), match: route.request().headers()['if-match']};
      return route.fulfill({json: {}});
    });
    await signIn(page, {at: `#/fleet/${facts.devices.far}`, live: false});
    await page.click('#edit-tags');
    await page.fill('#tags', 'mine');
    check(await page.locator('#save-tags').isDisabled(), 'they can be saved against nothing');
    answer();
    await shows(page, 'dialog', 'Somebody changed them meanwhile: now theirs');
    equal(await page.locator('#tags').inputValue(), 'mine', 'what was typed');
    await page.click('#save-tags');
    await page.locator('dialog').waitFor({state: 'detached'});
    equal(sent, {body: {tags: ['mine']}, match: '"e1"'}, 'what was saved');
  },
};
