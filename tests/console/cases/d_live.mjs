// One stream of events a browser; what pages do while it is away, and what they keep when it brings something.
import {api, ask, check, equal, facts, quiet, shows, signIn, textOf, until, visit} from '../browser.mjs';

const cookieless = async (page) => (await page.context().cookies()).length === 0;

export default {
  'many tabs of one browser are live over one stream': async (page) => {
    // A browser opens six connections to a host: were each tab's stream its own, the seventh would wait for ever.
    await signIn(page);
    const tabs = [];
    for (let i = 0; i < 7; i += 1) {
      const tab = await page.context().newPage();
      tab.setDefaultTimeout(15_000);
      await tab.goto(`${facts.url}/#/releases`);
      // A server without cookies asks each tab for itself.
      if (await cookieless(page)) {
        await tab.fill('#password', facts.password);
        await tab.click('#login');
      }
      await tab.locator('#connection[data-state="live"]').waitFor();
      tabs.push(tab);
    }
    for (const tab of tabs) await shows(tab, 'main h1', 'Releases');
    await tabs[6].click('#new-release');
    await shows(tabs[6], 'main h1', 'New release');
  },

  'an event leaves the focus, the fold and a press alone': async (page) => {
    const id = (await api('POST', '/releases', {package: 'digits', version: '4.0.0', rule: 'device("none")', again: true, stages: [{kind: 'full', hold: true}], start: true})).id;
    await signIn(page, {at: `#/releases/${id}`});
    await page.locator('.numbers summary').first().click();
    await page.locator('#pause').focus();
    const box = await page.locator('#rollback').boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.locator('#rollback').evaluate((element) => { element.focus(); });
    await api('POST', `/releases/${id}/pause`, {why: 'while the button is down'});
    await shows(page, 'h1', 'paused');
    equal(await page.evaluate(() => document.activeElement.id), 'rollback', 'focus');
    check(await page.locator('.numbers[open]').count() >= 1, 'the fold was closed');
    await page.mouse.up();
    await page.locator('#question').waitFor();
    await page.keyboard.press('Escape');
    equal(await page.evaluate(() => document.activeElement.id), 'rollback', 'focus after the question');
    await api('POST', `/releases/${id}/halt`, {});
  },

  'lists follow releases that are made elsewhere': async (page) => {
    await signIn(page, {at: '#/releases'});
    await page.locator('#releases').waitFor();
    const before = await page.locator('#releases tbody tr').count();
    const id = (await api('POST', '/releases', {package: 'digits', version: '4.0.0', rule: 'device("none")', again: true, stages: [{kind: 'full', hold: true}], start: true})).id;
    await until('the new row', async () => (await page.locator('#releases tbody tr').count()) === before + 1);
    await shows(page, '#releases tbody tr:first-child', 'waits for a person');
    await api('POST', `/releases/${id}/halt`, {why: 'enough'});
    await shows(page, '#releases tbody tr:first-child', 'stopped');
  },

  'what was read of a long list stays when something happens': async (page) => {
    const row = (i) => ({id: String(i).padStart(64, '0'), os: 'linux', app_version: '1', device_class: 'a', tags: [], operator_tags: [], extra: {}, running: {}, enrolled_ms: 1, last_seen_ms: 1, blocked: false});
    let reads = 0;
    await page.route('**/api/v1/devices?*', (route) => {
      const query = new URL(route.request().url()).searchParams;
      const limit = Number(query.get('limit')), after = Number(query.get('after') ?? query.get('cursor') ?? 0);
      const rows = Array.from({length: Math.min(limit, 1500 - after)}, (_, i) => row(after + i));
      const next = after + rows.length < 1500 ? String(after + rows.length) : null;
      reads += 1;
      return route.fulfill({json: {devices: rows, next, next_cursor: next}});
    });
    await signIn(page, {at: '#/fleet'});
    const scroll = page.locator('.long-scroll');
    await scroll.waitFor();
    check((await page.locator('#devices tbody tr[aria-rowindex]').count()) < 120, 'all rows are drawn');
    await until('rows further down', async () => {
      await scroll.evaluate((box) => { box.scrollTop = box.scrollHeight; });
      return /[5-9]\d\d|1 \d\d\d/.test(await textOf(page, '.table-foot'));
    });
    await scroll.evaluate((box) => { box.scrollTop = 12_000; });
    await page.waitForTimeout(300);
    const top = await page.locator('#devices tbody tr[aria-rowindex]').first().getAttribute('aria-rowindex');
    const foot = await textOf(page, '.table-foot'), before = reads;
    const id = (await api('POST', '/releases', {package: 'digits', version: '4.0.0', rule: 'device("none")', again: true, stages: [{kind: 'full', hold: true}], start: true})).id;
    await api('POST', `/releases/${id}/halt`, {});
    await until('the list to be read anew', () => reads > before);
    await page.waitForTimeout(500);
    equal(await textOf(page, '.table-foot'), foot, 'rows');
    equal(await page.locator('#devices tbody tr[aria-rowindex]').first().getAttribute('aria-rowindex'), top, 'place');
  },

  'the end of a list is read on where it was being read anew as one came there': async (page) => {
    let holds = false, held = 0, letGo = () => {};
    const go = new Promise((resolve) => { letGo = resolve; });
    await page.route('**/api/v1/devices?*', async (route) => {
      const after = Number(new URL(route.request().url()).searchParams.get('cursor') ?? 0);
      if (holds) { held += 1; await go; }
      const rows = Array.from({length: 200}, (_, i) => ({id: String(after + i).padStart(64, '0'), os: 'linux', app_version: '1', device_class: 'a', tags: [], operator_tags: [], extra: {}, running: {}, enrolled_ms: 1, last_seen_ms: 1, blocked: false}));
      return route.fulfill({json: {devices: rows, next_cursor: after < 400 ? String(after + 200) : null}});
    });
    await signIn(page, {at: '#/fleet'});
    await shows(page, '.table-foot', '200 devices read');
    holds = true;
    const id = (await api('POST', '/releases', {package: 'digits', version: '4.0.0', rule: 'device("none")', again: true, stages: [{kind: 'full', hold: true}], start: true})).id;
    await api('POST', `/releases/${id}/halt`, {});
    await until('the list to be asked for anew', () => held > 0);
    await page.locator('.long-scroll').evaluate((box) => { box.scrollTop = box.scrollHeight; });
    await page.waitForTimeout(300);
    letGo();
    await shows(page, '.table-foot', '400 devices read');
  },

  'a server that went away is said, and the page goes on by itself when it is back': async (page) => {
    await signIn(page, {at: '#/releases'});
    await page.locator('#releases').waitFor();
    await ask('stop_server');
    try {
      await until('the stream to end', async () => (await page.locator('#connection').getAttribute('data-state')) !== 'live');
      await page.evaluate(() => { location.hash = '#/packages'; });
      await shows(page, '#banner', 'cannot be reached');
      await shows(page, 'main', 'cannot be reached');
    } finally {
      await ask('start_server');
    }
    await page.locator('#connection[data-state="live"]').waitFor({timeout: 40_000});
    await shows(page, '#packages', 'digits');
    await until('the banner to go', async () => (await page.locator('#banner').count()) === 0);
    await until('the problem to go', async () => (await page.locator('.problem').count()) === 0);
  },

  'a stream that is refused ends in asking, not in "reconnecting" for ever': async (page) => {
    await quiet(page);
    await signIn(page, {at: '#/releases', live: false});
    await page.locator('#connection[data-state="polling"]').waitFor({timeout: 25_000});
    const id = (await api('POST', '/releases', {package: 'digits', version: '4.0.0', rule: 'device("none")', again: true, stages: [{kind: 'full', hold: true}], start: true})).id;
    await until('the next poll to bring the new release', async () => (await page.locator(`#releases a[title="${id}"]`).count()) === 1);
    await api('POST', `/releases/${id}/halt`, {});
    await page.unroute('**/api/v1/live');
    await page.locator('#connection[data-state="live"]').waitFor({timeout: 40_000});
  },
};
