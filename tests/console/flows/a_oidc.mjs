// Signing in at an issuer of OpenID Connect: the way there and back, and whatever somebody may make of it.
import {api, ask, check, equal, facts, newPage, shows, textOf, visit} from '../browser.mjs';

const USERS = {vera: ['ml'], omar: ['admins'], stranger: ['sales']};

// From the sign-in page to the issuer's.
async function leave(page, at = '#/home') {
  await page.goto(`${facts.url}/${at}`);
  await shows(page, '#sign-in-provider', 'Example');
  await page.click('#sign-in-provider');
  await page.locator('#issuer-name').waitFor();
}
export async function signInAt(page, name, at) {
  await leave(page, at);
  await page.fill('#issuer-name', name);
  await page.click('#issuer-go');
  await page.locator('#connection').waitFor();
}
// The address that the issuer sends the browser back to, which the browser does not go to.
async function caught(page, name) {
  await leave(page);
  let answer = await page.request.post(page.url(), {form: {login: name}, maxRedirects: 0});
  for (let steps = 0; steps < 4; steps += 1) {
    const to = new URL(answer.headers().location, facts.issuer).href;
    if (to.startsWith(facts.url)) return to;
    answer = await page.request.get(to, {maxRedirects: 0});
  }
  throw new Error('the issuer sends nobody back');
}
const whoIs = (page) => page.evaluate(async () => { const answer = await fetch('/api/v1/session'); return answer.ok ? answer.json() : null; });

export default {
  'who signs in there comes back to where it was going, with the role of its group': async (page) => {
    const asked = [];
    page.on('request', (request) => { if (request.url().startsWith(`${facts.issuer}/auth?`)) asked.push(new URL(request.url()).searchParams); });
    await signInAt(page, 'vera', '#/admin/me');
    check(page.url() === `${facts.url}/#/admin/me`, page.url());
    equal(await textOf(page, '#user'), 'vera');
    await shows(page, 'main', 'by OIDC');
    equal(await page.locator('#new-password, #totp-on').count(), 0, 'passwords and codes of a user who has none here');
    equal([asked[0].get('code_challenge_method'), asked[0].get('code_challenge').length, asked[0].get('response_type')], ['S256', 43, 'code'], 'the question');
    const session = await whoIs(page);
    equal([session.role, session.packages, session.features.includes('oidc')], ['releaser', ['greet*'], true], 'session');
    equal(await page.evaluate(() => document.cookie), '', 'cookies that scripts see');
    const [row] = (await api('GET', '/audit?user=vera&limit=1&sort=-seq')).rows;
    equal([row.action, row.outcome, row.target], ['GET /api/v1/oidc/return', 'done', `${facts.issuer} vera`], 'the log');
  },

  'an address that was used once, or begun in another browser, signs nobody in': async (page, browser) => {
    const back = await caught(page, 'vera');
    const other = await newPage(browser);
    await other.goto(back);
    await shows(other, '#refused', 'begun elsewhere, used before');
    check(!other.url().includes('refused'), 'the reason stays in the address');
    equal(await whoIs(other), null, 'session of another browser');
    await page.goto(back);
    await page.locator('#connection').waitFor();
    await other.goto(back);
    await shows(other, '#refused', 'begun elsewhere, used before');
    const wrong = new URL(back);
    wrong.searchParams.set('state', 'made-up');
    await other.goto(String(wrong));
    await shows(other, '#refused', 'begun elsewhere');
    equal(await whoIs(other), null, 'session');
    await other.context().close();
  },

  'a code without its verifier buys nothing': async (page) => {
    const code = new URL(await caught(page, 'vera')).searchParams.get('code');
    for (const verifier of [undefined, 'x'.repeat(43)]) {
      const body = new URLSearchParams({grant_type: 'authorization_code', code, redirect_uri: `${facts.url}/api/v1/oidc/return`, ...(verifier ? {code_verifier: verifier} : {})});
      const answer = await fetch(`${facts.issuer}/token`, {method: 'POST', body, headers: {authorization: `Basic ${btoa(`${facts.client}:${facts.secret}`)}`}});
      equal([answer.status, (await answer.json()).error], [400, 'invalid_grant'], `verifier ${verifier}`);
    }
  },

  'new keys of the issuer, of another algorithm, are found': async (page) => {
    await ask('start_issuer', USERS, 'ES256', true);
    await signInAt(page, 'vera');
    equal(await textOf(page, '#user'), 'vera');
  },

  'who gives up there, is disabled here, or has no role is told so in a sentence': async (page, browser) => {
    await leave(page);
    await page.click('#issuer-deny');
    await shows(page, '#refused', 'given up');
    await page.locator('#password').waitFor();
    await page.click('#sign-in-provider');
    await page.fill('#issuer-name', 'stranger');
    await page.click('#issuer-go');
    await shows(page, '#refused', 'you have no role on this server');
    equal((await api('GET', '/users')).users.filter((user) => user.name === 'stranger'), [], 'a user without a role');
    await api('PUT', '/users/vera', {disabled: true});
    const other = await newPage(browser);
    await leave(other);
    await other.fill('#issuer-name', 'vera');
    await other.click('#issuer-go');
    await shows(other, '#refused', 'disabled here');
    await other.context().close();
    await api('PUT', '/users/vera', {disabled: false});
  },

  'who loses the role at the issuer is signed out by the next sign-in': async (page, browser) => {
    await signInAt(page, 'vera');
    await ask('start_issuer', {...USERS, vera: ['sales']}, 'ES256');
    const other = await newPage(browser);
    await leave(other);
    await other.fill('#issuer-name', 'vera');
    await other.click('#issuer-go');
    await shows(other, '#refused', 'no role');
    await other.context().close();
    await page.locator('dialog #sign-in').waitFor();
    equal(await whoIs(page), null, 'the session before');
    await ask('start_issuer', USERS, 'ES256');
  },

  'an issuer that is away is said, and signing in by password goes on': async (page) => {
    const back = await caught(page, 'vera');
    await ask('stop_issuer');
    await page.goto(back);
    await shows(page, '#refused', 'did not answer');
    await page.fill('#password', facts.password);
    await page.click('#login');
    await page.locator('#connection').waitFor();
    await ask('start_issuer', USERS, 'ES256');
  },

  'an ended session is renewed at the issuer, and what was typed is still there': async (page) => {
    await signInAt(page, 'vera', '#/releases/new');
    await page.check('#who-rule');
    await page.locator('#rule .cm-content').fill('os == "linux"');
    await shows(page, '#reached', '2 devices');
    await page.evaluate(async () => {
      const {csrf} = await (await fetch('/api/v1/session')).json();
      await fetch('/api/v1/logout', {method: 'POST', headers: {'X-Ferry-CSRF': csrf}});
    });
    await page.locator('#rule .cm-content').fill('os == "linux" and app_version < "1.5.0"');
    await page.locator('dialog #sign-in').waitFor();
    // The issuer knows who sits there.
    await page.click('dialog #sign-in-provider');
    await shows(page, '#reached', '1 device');
    equal(await page.locator('#rule .cm-content').innerText(), 'os == "linux" and app_version < "1.5.0"', 'the rule');
    check(page.url() === `${facts.url}/#/releases/new`, page.url());
  },

  'administrators see who signs in there, and change nothing that the issuer says': async (page) => {
    await signInAt(page, 'omar', '#/admin/users');
    const row = page.locator('#users tr', {hasText: 'vera'});
    await row.getByText('OIDC').waitFor();
    equal(await row.getByRole('button', {name: 'New password for vera'}).count(), 0, 'password');
    await row.getByRole('button', {name: 'Edit vera'}).click();
    await shows(page, 'dialog', 'come from the provider');
    equal(await page.locator('#new-role').count(), 0, 'role');
    await page.keyboard.press('Escape');
    await visit(page, '#/admin/audit');
    await shows(page, '#audit', 'signed in by OIDC');
  },
};
