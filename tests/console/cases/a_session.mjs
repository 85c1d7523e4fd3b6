// The door, and what becomes of a page whose session ends.
import {ask, check, equal, facts, shows, signIn, textOf, visit} from '../browser.mjs';

export default {
  'what the demo prints signs in, also after the server began anew': async (page) => {
    await ask('stop_server');
    await ask('start_server');
    const line = await ask('console_line');
    const [, url, user, password] = /^Console: (\S+)\s+user: (\S+)\s+password: (\S+)$/.exec(line);
    await page.goto(url);
    await page.fill('#user-name', user);
    await page.fill('#password', password);
    await page.click('#login');
    await page.locator('#connection[data-state="live"]').waitFor();
    equal(await textOf(page, '#user'), 'admin');
    check(!page.url().includes(password), 'the password is in the address');
  },

  'a wrong password says so at its field, and the right one leads where one was going': async (page) => {
    await page.goto(`${facts.url}/#/admin/audit`);
    await page.fill('#password', 'wrong');
    await page.click('#login');
    await shows(page, '#password-wrong', 'do not fit');
    await page.fill('#password', facts.password);
    await page.click('#login');
    await shows(page, 'main h1', 'Audit log');
  },

  'no token is kept where scripts of other tabs could read it, nor in an address': async (page) => {
    const urls = [];
    page.on('request', (request) => urls.push(request.url()));
    await signIn(page);
    await visit(page, '#/releases');
    const kept = await page.evaluate(() => JSON.stringify([{...sessionStorage}, {...localStorage}, document.cookie]));
    equal(kept, '[{},{},""]', 'kept');
    equal(urls.filter((url) => url.includes('token=')), [], 'addresses with tokens');
  },

  'a session that ended is asked for over the page, and what was typed stays': async (page) => {
    await signIn(page, {at: '#/releases/new'});
    await page.check('#who-rule');
    await page.locator('#rule .cm-content').fill('os == "linux"');
    await shows(page, '#reached', 'device');
    // The password is set again: all sessions of the account end.
    await page.route('**/api/v1/**', (route) => route.fulfill({status: 401, contentType: 'application/json', body: '{"error":{"code":3,"name":"unauthenticated","text":"no session"}}'}));
    await page.locator('#rule .cm-content').fill('os == "linux" and app_version < "9.0.0"');
    await page.locator('dialog #sign-in').waitFor();
    equal(await page.locator('dialog').getAttribute('aria-label'), 'Your session has ended');
    await page.unroute('**/api/v1/**');
    await page.fill('dialog #password', facts.password);
    await page.click('dialog #login');
    await page.locator('dialog').waitFor({state: 'detached'});
    equal(await page.locator('#rule .cm-content').innerText(), 'os == "linux" and app_version < "9.0.0"', 'the rule');
    await shows(page, '#reached', '4 devices');
    check(page.url().endsWith('#/releases/new'), page.url());
  },

  'an address that names no page says so': async (page) => {
    await signIn(page, {at: '#/no/such/page'});
    await shows(page, 'main h1', 'There is no such page');
    await visit(page, '#/releases/none-such');
    await shows(page, 'main', 'There is no such release');
  },

  'signing out ends the session and shows the door': async (page) => {
    await signIn(page);
    await page.click('#sign-out');
    await page.locator('#password').waitFor();
    const status = await page.evaluate(async () => (await fetch('/api/v1/me')).status);
    equal(status, 401);
  },
};
