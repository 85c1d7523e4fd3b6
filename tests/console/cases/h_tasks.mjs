// A task under work: its script beside recorded events, run in the server's sandbox, saved for `ferry publish`.
import {api, check, equal, shows, signIn, until, visit} from '../browser.mjs';
import {readFileSync} from 'node:fs';

// Pasted, as the editor takes it: text of many lines that is put in past it gets styles of the browser's own, which nothing may.
const type = async (page, id, text) => {
  await page.evaluate((given) => navigator.clipboard.writeText(given), text);
  await page.locator(`#${id} .cm-content`).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Control+v');
};
const EVENTS = '[{"name": "mine", "events": [{"id": "page_enter", "page": "scan", "time_ms": 1, "data": {}}, {"id": "image", "page": "scan", "time_ms": 2, "data": {"image": 3}}]}]';

export default {
  'a script is changed, run on events, and says what it printed, gave and took': [async (page) => {
    await signIn(page, {at: '#/tasks/digits/try?base=1.0.0'});
    await page.locator('#try-script .cm-content').waitFor();
    await until('the recorded cases', async () => (await page.locator('#try-events .cm-content').innerText()).includes('image'));
    await page.click('#try-run');
    await shows(page, '#try-report', 'as expected', 30_000);
    await type(page, 'try-script', 'def on_trigger(matched):\n    print("saw", matched[-1]["data"]["image"])\nreturn_value = 1\n');
    await type(page, 'try-script', 'def on_trigger(matched):\n    print("saw", matched[-1]["data"]["image"])\n    return {"twice": 2 * matched[-1]["data"]["image"]}\n');
    await type(page, 'try-events', EVENTS);
    await page.click('#try-run');
    await shows(page, '#try-report', 'saw 3', 30_000);
    await shows(page, '#try-report', '"twice":6');
    await shows(page, '#try-report', 'memory');
    // What was typed survives a look elsewhere.
    await visit(page, '#/tasks');
    await visit(page, '#/tasks/digits/try?base=1.0.0');
    await shows(page, '#try-script', 'twice');
  }, {most_ms: 90_000}],

  'long events stay in their box: what lies below does not move while they are measured': async (page) => {
    await signIn(page, {at: '#/tasks/digits/try?base=1.0.0'});
    await page.locator('#try-script .cm-content').waitFor();
    const top = () => page.locator('#try-run').evaluate((button) => button.getBoundingClientRect().top + scrollY);
    const before = await top();
    await type(page, 'try-events', `[${Array.from({length: 400}, (_, at) => `{"name": "event ${at}", "events": []}`).join(',\n')}]`);
    await page.locator('#try-events .cm-content').getByText('event 399').waitFor();
    equal(await top(), before, 'where the button is');
    await page.keyboard.press('Control+Home');
    await page.locator('#try-events .cm-content').getByText('event 0').waitFor();
    equal(await top(), before, 'where the button is');
  },

  'an error stands at its line, and wrong events at theirs': [async (page) => {
    await signIn(page, {at: '#/tasks/digits/try?base=1.0.0'});
    await page.locator('#try-script .cm-content').waitFor();
    await type(page, 'try-script', 'def on_trigger(matched):\n    n = 0\n    return 1 // n\n');
    await type(page, 'try-events', EVENTS);
    await page.click('#try-run');
    await shows(page, '#try-report', 'line 3', 30_000);
    await page.locator('#try-script .cm-lintRange-error').waitFor();
    equal(await page.locator('#try-script .cm-line', {has: page.locator('.cm-lintRange-error')}).innerText(), '    return 1 // n', 'the marked line');
    await type(page, 'try-events', '[{"name": "mine", "events": [}]');
    await shows(page, '#try-events', 'no JSON');
    check(await page.locator('#try-run').isDisabled(), 'events that are none can be run');
  }, {most_ms: 90_000}],

  'the package is saved for ferry publish, which signs it': async (page) => {
    await signIn(page, {at: '#/tasks/digits/try?base=1.0.0'});
    await page.locator('#try-script .cm-content').waitFor();
    equal(await page.inputValue('#try-version'), '1.0.1', 'the version that is offered');
    const [file] = await Promise.all([page.waitForEvent('download'), page.click('#try-save')]);
    equal(file.suggestedFilename(), 'digits-1.0.1.fpk', 'its name');
    equal(readFileSync(await file.path()).subarray(0, 8).toString(), 'FERRYPKG', 'its first bytes');
    await page.fill('#try-version', 'next');
    await page.click('#try-save');
    await shows(page, '.toasts', 'version');
  },

  'who may not read scripts is told so': async (page) => {
    await api('POST', '/users', {name: 'reader', role: 'viewer', password: 'a long password'}).catch(() => undefined);
    await signIn(page, {user: 'reader', password: 'a long password', at: '#/tasks/digits/try'});
    await shows(page, 'main', 'developer');
  },

  'home shows versions over days': async (page) => {
    await page.route('**/api/v1/fleet/days*', (route) => route.fulfill({json: {days: [
      {day: '2026-11-25', devices: 10, packages: {digits: {'1.0.0': 10}}}, {day: '2026-11-26', devices: 12, packages: {digits: {'1.0.0': 5, '1.1.0': 7}}}]}}));
    await signIn(page);
    await page.locator('#version-days .chart[aria-label*="1.1.0 7"]').waitFor();
    await page.locator('#version-days canvas').waitFor();
  },

  'campaigns are listed, opened and halted with a reason': async (page) => {
    const made = await api('POST', '/campaigns', {name: 'autumn-1', start: '2096-12-01T02:00:00Z', why: 'yearly', releases: [{package: 'digits', version: '1.0.0', rule: 'os == "linux"'}]});
    await signIn(page, {at: '#/releases/campaigns'});
    await shows(page, '#campaigns', 'autumn-1');
    await visit(page, `#/releases/campaigns/${made.id}`);
    await shows(page, '#campaign-releases', 'digits 1.0.0');
    await page.click('#campaign-halt');
    await page.locator('dialog[open]').waitFor();
    await page.locator('dialog[open] textarea, dialog[open] input').first().fill('not this year');
    await page.locator('dialog[open] button.danger').click();
    await shows(page, 'main h1', 'halted');
    equal((await api('GET', `/campaigns/${made.id}`)).state, 'halted', 'its state');
  },
};
