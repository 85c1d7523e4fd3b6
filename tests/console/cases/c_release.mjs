// One release from its upload to its end: pushed, held, approved, complete, and a bad one taken back.
import {api, ask, check, equal, facts, quiet, shows, signIn, textOf, until, visit} from '../browser.mjs';

const FULL = {kind: 'full', min_healthy_ms: 1000, min_reports: 1};
const BETA = {kind: 'beta', who: 'tag("beta")', min_healthy_ms: 1000};
const newest = async () => (await api('GET', '/releases')).releases[0];
const confirm = async (page, why) => {
  await page.locator('#question-do').waitFor();
  if (why) await page.fill('#question-why', why);
  await page.click('#question-do');
  await page.locator('#question').waitFor({state: 'detached'});
};

export default {
  'a version is pushed through the form, paused with a reason, resumed, and completes without a reload': async (page) => {
    await signIn(page, {at: '#/packages/digits/1.0.0'});
    await page.getByRole('link', {name: 'Release it'}).click();
    await shows(page, '#package', 'digits 1.0.0');
    await page.check('#who-rule');
    await page.locator('#rule .cm-content').fill(facts.rule);
    await page.check('#plan-own');
    // Simulation, beta, full.
    await page.getByLabel('Remove stage 4').click();
    await page.getByLabel('Remove stage 3').click();
    for (const row of [1, 2]) await page.locator('.stage-row').nth(row).getByLabel('Seconds healthy').fill('2');
    await until('start', () => page.locator('#start').isEnabled());
    await page.click('#start');
    await shows(page, '#question', '3 devices of 4, 75 %');
    await confirm(page);
    await page.locator('#pause').click();
    await confirm(page, 'lunch');
    await shows(page, '#reason', 'paused by admin: lunch');
    await shows(page, 'h1', 'paused');
    await page.locator('#resume').click();
    await confirm(page);
    await shows(page, 'h1', 'complete', 40_000);
    equal(await page.locator('.stage[data-mark="done"]').count(), 3, 'stages that passed');
    await shows(page, '#decisions', 'Paused by admin: lunch');
    await visit(page, '#/fleet');
    await shows(page, '#devices', 'digits 1.0.0');
  },

  'a complete release never shows more devices than it has': async (page) => {
    await quiet(page);
    const release = await newest();
    const full = await api('GET', `/releases/${release.id}`);
    // A device joined after the stage was planned: as the server tells it.
    full.stages.at(-1).planned = full.stages.at(-1).members - 1;
    await page.route(`**/api/v1/releases/${release.id}?members=0`, (route) => route.fulfill({json: full}));
    await signIn(page, {at: `#/releases/${release.id}`, live: false});
    await shows(page, '.stages', '1 joined since');
    check(!/(\d+) of (\d+) devices/.test(await textOf(page, '.stages')), await textOf(page, '.stages'));
  },

  'an upload is refused with a reason at its field, and a good one is published': async (page) => {
    await signIn(page, {at: '#/packages'});
    await page.click('#open-upload');
    await page.setInputFiles('#bundle', {name: 'no.bundle', mimeType: 'application/octet-stream', buffer: Buffer.from('no bundle at all, but long enough')});
    await page.click('#upload');
    await shows(page, '#bundle-wrong', 'is no publish bundle');
    await page.setInputFiles('#bundle', facts.bundles['4.0.0']);
    await page.click('#upload');
    await shows(page, '#packages', '4.0.0');
    await page.getByRole('link', {name: 'digits'}).first().click();
    await shows(page, 'main h1', 'digits 4.0.0');
    await shows(page, '#artefacts', 'full');
  },

  'a bad version is watched, held, and taken back with a reason': async (page) => {
    const id = await ask('release', '3.0.0', [{...FULL, hold: true}], {});
    await until('devices', async () => (await api('GET', `/releases/${id}`)).counts.healthy >= 2, 40_000);
    await signIn(page, {at: `#/releases/${id}`});
    await shows(page, 'h1', 'waits for a person');
    await shows(page, '#reason', 'waits for a person');
    await shows(page, '.stage[aria-current="step"]', 'waits for a person');
    check(await page.locator('#approve').isVisible(), 'no button to approve');
    await page.click('#rollback');
    await shows(page, '#question', 'go back to digits 1.0.0');
    await shows(page, '#question', '% of the fleet');
    await confirm(page, 'wrong digits');
    await shows(page, 'h1', 'rolled back', 40_000);
    await shows(page, '#reason', 'rolled back by admin: wrong digits');
    equal(await page.locator('.stage[data-mark="done"]').count(), 0, 'stages drawn as passed');
    await shows(page, '.stage', 'taken back');
    await shows(page, '#members', 'went back');
    await until('no device to be going back', async () => !/going back/.test(await textOf(page, '#members')));
    check(!/healthy/.test(await textOf(page, '#members')), await textOf(page, '#members'));
  },

  'a version that was taken back is not what a fresh form begins with, and needs a word to go out again': async (page) => {
    await signIn(page, {at: '#/releases/new'});
    check(!(await page.locator('#package').inputValue()).includes('3.0.0'), 'it begins with the bad version');
    await page.selectOption('#package', 'digits@3.0.0');
    await shows(page, '#verdict', 'rolled back by admin: wrong digits');
    await page.check('#who-all');
    await shows(page, '#blocked', 'This version was taken back');
    check(await page.locator('#start').isDisabled(), 'start may be pressed');
    await page.check('#again');
    await until('start', () => page.locator('#start').isEnabled());
    await page.click('#start');
    await shows(page, '#question', 'Last verdict on this version: rolled back');
  },

  'approving never ends a pause of somebody else': async (page) => {
    const id = await ask('release', '4.0.0', [{...BETA, hold: true}, FULL], {});
    await until('the beta device', async () => (await api('GET', `/releases/${id}`)).counts.healthy === 1, 40_000);
    await signIn(page, {at: `#/releases/${id}`});
    await shows(page, 'h1', 'waits for a person');
    await page.click('#approve');
    await page.locator('#question-do').waitFor();
    await api('POST', `/releases/${id}/pause`, {why: 'a colleague looks into it'});
    await page.click('#question-do');
    await shows(page, '#question', 'paused');
    equal((await api('GET', `/releases/${id}`)).state, 'paused', 'state');
    await page.keyboard.press('Escape');
    await shows(page, 'h1', 'paused');
    await page.click('#resume');
    await confirm(page);
    await shows(page, 'h1', 'waits for a person');
    await page.click('#approve');
    await confirm(page);
    await shows(page, 'h1', 'complete', 40_000);
  },

  'evidence stands with its line, worst first, and decisions are sentences with their numbers folded': async (page) => {
    await quiet(page);
    const release = await newest();
    const full = await api('GET', `/releases/${release.id}`);
    const gate = (slice, evidence, failed, stop = false) => ({stage: '', metric: 'failure', slice, decision: stop ? 'stop' : 'pass', devices: 100, failed, healthy: 100 - failed, pending: 0, control: 0, evidence, threshold: 100, stop});
    full.gates = [gate('all', 2, 2), gate('os=linux', 0.4, 0), gate('device_class=mid', 120, 9, true), gate('app_version=1.5.0', 20, 5)];
    await page.route(`**/api/v1/releases/${release.id}?members=0`, (route) => route.fulfill({json: full}));
    await signIn(page, {at: `#/releases/${release.id}`, live: false});
    await page.locator('.gate').first().waitFor();
    equal(await page.locator('.gate').evaluateAll((rows) => rows.map((row) => row.dataset.slice)), ['device_class=mid', 'app_version=1.5.0', 'all', 'os=linux'], 'order');
    const widths = await page.locator('.gate').evaluateAll((rows) => rows.map((row) => {
      const track = row.querySelector('.gate-track').getBoundingClientRect(), way = row.querySelector('.way').getBoundingClientRect();
      return [way.width / track.width, (row.querySelector('.line').getBoundingClientRect().left - track.left) / track.width];
    }));
    check(widths[0][0] >= widths[0][1] - 0.01, `what stops reaches the line: ${widths[0]}`);
    for (const [way, line] of widths.slice(1)) check(way < line, `what does not stop stays under the line: ${way}, ${line}`);
    // 20 of 100 on a log scale is 65 % of the way.
    check(Math.abs(widths[1][0] / widths[1][1] - Math.log(20) / Math.log(100)) < 0.02, `log scale: ${widths[1]}`);
    equal(await page.locator('.numbers[open]').count(), 0, 'numbers that are not folded');
    check(!(await textOf(page, '#decisions')).includes('{'), 'JSON among the sentences');
    check(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/.test(await textOf(page, '#decisions')), 'times without their zone');
  },

  'tracebacks keep their lines': async (page) => {
    await quiet(page);
    const release = await newest();
    const full = await api('GET', `/releases/${release.id}`);
    const {members} = await api('GET', `/releases/${release.id}/members`);
    Object.assign(members[0], {outcome: 'failed', error_name: 'script_raised', error_text: 'Traceback:\n  task.py, line 3, in run\n  prob = 1 / 0\nZeroDivisionError: division by zero'});
    await page.route(`**/api/v1/releases/${release.id}?members=0`, (route) => route.fulfill({json: full}));
    await page.route(`**/api/v1/releases/${release.id}/members*`, (route) => route.fulfill({json: {members, next: null}}));
    await signIn(page, {at: `#/releases/${release.id}`, live: false});
    await shows(page, '.traces', 'ZeroDivisionError');
    equal((await textOf(page, '.trace')).split('\n').length, 4, 'lines');
  },
};
