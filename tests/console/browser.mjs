// A headless Chromium with the console in it, and what cases need: signing in, requests to the scene, checks.
import {createRequire} from 'node:module';
import {readFileSync} from 'node:fs';
import readline from 'node:readline';
import {fileURLToPath} from 'node:url';

const require = createRequire(fileURLToPath(new URL('../../cloud-server/console/package.json', import.meta.url)));
const {chromium} = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

// Nothing but the server on loopback is reached.
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync', '--disable-background-networking',
  '--disable-component-update', '--disable-default-apps', '--disable-extensions', '--disable-domain-reliability', '--metrics-recording-only',
  // The list under the address bar is a page of the browser's own: each new window would load it beside ours.
  '--disable-features=WebUIOmniboxPopup,WebUIOmniboxFullPopup,WebUIOmniboxAimPopup',
  '--disable-dev-shm-usage', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost'];

export const facts = JSON.parse(process.env.FERRY_SCENE);

const lines = readline.createInterface({input: process.stdin})[Symbol.asyncIterator]();
// Asks the scene, which holds the server and the devices.
export async function ask(what, ...args) {
  process.stdout.write(`@${JSON.stringify({do: what, with: args})}\n`);
  const {value, done} = await lines.next();
  if (done) throw new Error('the scene has ended');
  const answer = JSON.parse(value);
  if (answer.error) throw new Error(`${what}: ${answer.error}`);
  return answer.ok;
}
export const api = (method, path, body) => ask('api', method, path, body);

export const launch = () => chromium.launch({executablePath: process.env.FERRY_CHROMIUM || '/usr/bin/chromium', headless: true, args: FLAGS});

export async function newPage(browser, options = {}) {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}, ...options});
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], {origin: facts.url});
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  page.faults = [];
  page.on('pageerror', (error) => page.faults.push(`script: ${error.message}`));
  page.on('console', (message) => { if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) page.faults.push(message.text()); });
  page.on('request', (request) => {
    const url = new URL(request.url());
    const known = [facts.url, ...(facts.issuer ? [facts.issuer] : [])].map((text) => new URL(text).origin);
    if (!known.includes(url.origin) && !['data:', 'blob:'].includes(url.protocol)) page.faults.push(`asks another host: ${url}`);
  });
  return page;
}

// The page follows the stream by itself, where requests of it can be answered by a case: those of a shared worker cannot.
export const alone = (page) => page.addInitScript(() => { delete window.SharedWorker; });

// Nothing comes by events: what a case answers in the server's place stays.
export async function quiet(page) {
  await alone(page);
  await page.route('**/api/v1/live', (route) => route.fulfill({status: 503, json: {error: {code: 1, name: 'unavailable', text: 'too many'}}}));
}

// The page asks for its session, whose answer a case gives, in place of taking the one that the server wrote into it.
export const asksSession = (page) => page.route((url) => url.pathname === '/', async (route) => {
  const answer = await route.fetch();
  return route.fulfill({response: answer, body: (await answer.text()).replace(/(name="ferry-session" content=")[^"]*/, '$1')});
});

export async function signIn(page, {user = '', password = facts.password, at = '#/home', live = true, url = facts.url} = {}) {
  await page.goto(`${url}/${at}`);
  await page.locator('#password').waitFor();
  if (user) await page.fill('#user-name', user);
  await page.fill('#password', password);
  await page.click('#login');
  await page.locator(live ? '#connection[data-state="live"]' : '#connection').waitFor();
}

// Goes to a page of the console without loading it anew.
export async function visit(page, hash) {
  await page.evaluate((to) => { location.hash = to; }, hash);
  await page.locator('main h1').waitFor();
}

export function check(condition, text) {
  if (!condition) throw new Error(text);
}
export function equal(seen, wanted, what = '') {
  const [a, b] = [JSON.stringify(seen), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`${what}: ${a}, wanted ${b}`);
}

// Polls until `look` gives something true.
export async function until(what, look, ms = 15_000) {
  const end = Date.now() + ms;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited ${ms} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

export const textOf = async (page, selector) => (await page.locator(selector).first().innerText()).replaceAll(' ', ' ');
export async function shows(page, selector, part, ms = 20_000) {
  let seen = '';
  await until(`"${part}" in ${selector}`, async () => {
    seen = await page.locator(selector).first().innerText({timeout: 1000}).catch(() => '');
    return seen.toLowerCase().includes(part.toLowerCase());
  }, ms).catch((error) => { throw new Error(`${error.message}; it shows: ${seen.slice(0, 400)}`); });
}

// What axe-core finds that is serious or worse.
export async function serious(page, rules) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  const found = await page.evaluate((only) => window.axe.run(document, {resultTypes: ['violations'], ...(only ? {runOnly: only} : {})}), rules);
  return found.violations.filter((item) => ['serious', 'critical'].includes(item.impact))
      .map((item) => `${item.id}: ${item.nodes.slice(0, 3).map((node) => `${node.target.join(' ')} (${node.failureSummary.split('\n').slice(1, 2).join()})`).join('; ')}`);
}

// By how much the page is wider than its window.
export const overhang = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
