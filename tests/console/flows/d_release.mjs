// A release as several people make it: pushed, asked for, agreed to by another person, watched, stopped by its gate, taken back.
import {api, ask, check, equal, facts, newPage, shows, signIn, until, visit} from '../browser.mjs';
import {signInAt} from './a_oidc.mjs';

const confirm = async (page, why) => {
  await page.locator('#question-do').waitFor();
  if (why) await page.fill('#question-why', why);
  await page.click('#question-do');
  await page.locator('#question').waitFor({state: 'detached'});
};
const releases = async () => (await api('GET', '/releases')).releases;
const versionOf = async (name) => (await api('GET', `/devices/${facts.devices[name]}`)).running.greeter;

// The form of a version for all devices: one stage, a second of health.
async function fillForm(page, version) {
  await page.selectOption('#package', `greeter@${version}`);
  if (await page.locator('#again').count()) await page.check('#again');
  await page.check('#who-all');
  await page.check('#plan-own');
  while (await page.locator('.stage-row').count() > 1) await page.getByLabel('Remove stage 1').click();
  await page.getByLabel('Seconds healthy').fill('1');
  await until('start', () => page.locator('#start').isEnabled());
}

export default {
  'a release that takes two people waits for the second, who agrees to it': [async (page, browser) => {
    await api('PUT', '/approval-policy', {packages: ['greeter']});
    await signInAt(page, 'vera', '#/releases/new');
    await fillForm(page, '1.0.0');
    await page.click('#start');
    await page.locator('#question-do').dblclick();
    await shows(page, '#question', 'another person has to agree');
    equal((await api('GET', '/approvals')).approvals.filter((row) => row.state === 'open').length, 1, 'requests after two presses');
    const second = await newPage(browser);
    await signIn(second, {at: '#/admin/approvals'});
    await shows(second, '#approvals', 'vera');
    await second.getByRole('button', {name: 'Agree...'}).click();
    await confirm(second, 'looks good');
    await until('the release', async () => (await releases())[0]?.state === 'complete', 30_000);
    await shows(second, '#approvals', 'done');
    // The policy is of two people itself.
    await second.fill('#policy', '');
    await second.click('#save-policy');
    await shows(second, '#policy-wrong', 'another person has to agree');
    await second.context().close();
    await page.keyboard.press('Escape');
    await visit(page, `#/releases/${(await releases())[0].id}`);
    await shows(page, 'h1', 'complete');
    await shows(page, '#decisions', 'vera');
    const third = await newPage(browser);
    await signInAt(third, 'omar', '#/admin/approvals');
    await third.getByRole('button', {name: 'Agree...'}).click();
    await confirm(third);
    await until('the policy to be gone', async () => (await api('GET', '/approval-policy')).packages.length === 0);
    await third.context().close();
  }, {most_ms: 90_000}],

  'its coverage over time is drawn from what the server noted': async (page) => {
    const release = (await releases()).find((row) => row.state === 'complete');
    const {points} = await api('GET', `/releases/${release.id}/series`);
    check(points.length >= 2 && points.at(-1).healthy === 3, JSON.stringify(points));
    await signIn(page, {at: `#/releases/${release.id}`});
    await page.locator('.chart canvas').nth(1).waitFor();
    check((await page.locator('.chart').first().getAttribute('aria-label')).includes('devices 3, healthy 3, failed 0'), 'what is drawn is not what was noted');
    // Something is drawn: the canvas is not of one colour.
    const colours = await page.locator('.chart canvas').first().evaluate((canvas) => new Set(new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size);
    check(colours > 8, `${colours} colours`);
  },

  'a bad version is pushed, stops by itself, and its devices go back': [async (page) => {
    await signIn(page, {at: '#/packages'});
    await page.click('#open-upload');
    await page.setInputFiles('#bundle', facts.bundles['1.1.0']);
    await page.click('#upload');
    await shows(page, '#packages', '1.1.0');
    await visit(page, '#/releases/new');
    await fillForm(page, '1.1.0');
    await page.getByLabel('Seconds healthy').fill('60');
    await page.locator('summary', {hasText: 'Gates, pace and window'}).click();
    await page.getByLabel('Tolerated failures, %').fill('0.1');
    await until('start', () => page.locator('#start').isEnabled());
    await page.click('#start');
    await shows(page, '#question', '3 devices of 3, 100 %');
    await confirm(page);
    await until('devices to have it', async () => (await releases())[0].counts.members === 3 && (await versionOf('far')) === '1.1.0', 30_000);
    await ask('events', 3);
    await shows(page, '#decisions', 'reached the limit', 30_000);
    await shows(page, 'main', 'no greeting');
    await shows(page, 'h1', 'rolled back', 40_000);
    await until('the devices to have the one before', async () => (await versionOf('near')) === '1.0.0' && (await versionOf('far')) === '1.0.0', 30_000);
  }, {most_ms: 90_000}],

  'a good one is taken back by hand with a reason, and the log holds': async (page) => {
    await ask('publish', '1.2.0');
    const id = (await api('POST', '/releases', {package: 'greeter', version: '1.2.0', rule: 'os == "linux"', stages: [{kind: 'full', hold: true}], start: true})).id;
    await until('devices to have it', async () => (await versionOf('near')) === '1.2.0' && (await versionOf('mid')) === '1.2.0', 30_000);
    await signIn(page, {at: `#/releases/${id}`});
    await shows(page, 'h1', 'waits for a person');
    await page.click('#rollback');
    await shows(page, '#question', 'go back to greeter 1.0.0');
    await confirm(page, 'too many greetings');
    await shows(page, 'h1', 'rolled back', 40_000);
    await shows(page, '#reason', 'too many greetings');
    await visit(page, '#/admin/audit');
    await page.click('#audit-verify');
    await shows(page, '#audit-check', 'The chain is whole');
    await shows(page, '#audit', 'too many greetings');
    await page.fill('#audit-user', 'omar');
    await shows(page, '#audit', 'POST /api/v1/approvals/{id}/approve');
  },
};
