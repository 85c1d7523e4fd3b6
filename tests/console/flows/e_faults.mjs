// What goes wrong beside a person: another editor, a server that is killed, a session that ends, a hand that presses twice.
import {api, ask, equal, facts, newPage, shows, signIn, until} from '../browser.mjs';

const RULE = '#rule .cm-content';

export default {
  'two editors: the second is shown what the first one kept beside what was typed, and decides': async (page, browser) => {
    const other = await newPage(browser);
    for (const one of [page, other]) {
      await signIn(one, {at: `#/fleet/${facts.devices.far}`});
      await one.click('#edit-tags');
      await one.waitForTimeout(500);
    }
    await page.fill('#tags', 'first');
    await page.click('#save-tags');
    await page.locator('dialog').waitFor({state: 'detached'});
    await other.fill('#tags', 'second');
    await other.click('#save-tags');
    await shows(other, 'dialog', 'Somebody changed them meanwhile: now first');
    equal(await other.locator('#tags').inputValue(), 'second', 'what was typed');
    equal((await api('GET', `/devices/${facts.devices.far}`)).operator_tags, ['first'], 'nothing is overwritten');
    await other.click('#save-tags');
    await other.locator('dialog').waitFor({state: 'detached'});
    equal((await api('GET', `/devices/${facts.devices.far}`)).operator_tags, ['second'], 'tags');
    await other.context().close();
  },

  'two editors of a user': async (page, browser) => {
    await api('POST', '/users', {name: 'uwe', role: 'viewer', password: 'correct horse battery'});
    await signIn(page, {at: '#/admin/users'});
    await page.getByRole('button', {name: 'Edit uwe'}).click();
    await page.waitForTimeout(500);
    await api('PUT', '/users/uwe', {role: 'approver'});
    await page.selectOption('#new-role', 'releaser');
    await page.click('#save-user');
    await shows(page, 'dialog', 'Somebody changed this user meanwhile: now approver');
    equal((await api('GET', '/users/uwe')).role, 'approver', 'nothing is overwritten');
    await page.click('#save-user');
    await page.locator('dialog').waitFor({state: 'detached'});
    equal((await api('GET', '/users/uwe')).role, 'releaser', 'role');
  },

  'a server that is killed amid a form comes back, and the form goes on': async (page) => {
    await signIn(page, {at: '#/releases/new'});
    await page.check('#who-rule');
    await page.locator(RULE).fill('os == "linux"');
    await shows(page, '#reached', '2 devices');
    await ask('kill_server');
    try {
      await until('the page to see it', async () => (await page.locator('#connection').getAttribute('data-state')) !== 'live');
      await page.locator(RULE).fill('os == "android"');
      await shows(page, '#banner', 'cannot be reached');
    } finally {
      await ask('start_server');
    }
    await page.locator('#connection[data-state="live"]').waitFor({timeout: 40_000});
    equal(await page.locator(RULE).innerText(), 'os == "android"', 'the rule');
    await until('the banner to go', async () => (await page.locator('#banner').count()) === 0);
    await shows(page, '#reached', '1 device');
  },

  'a session that ended is asked for over the form, which is then sent once by two presses': async (page) => {
    await api('POST', '/users', {name: 'rolf', role: 'releaser', password: 'correct horse battery'});
    await signIn(page, {user: 'rolf', password: 'correct horse battery', at: '#/releases/new'});
    await page.check('#who-rule');
    await page.locator(RULE).fill('os == "linux"');
    await shows(page, '#reached', '2 devices');
    await api('PUT', '/users/rolf/password', {password: 'another horse battery'});
    await page.locator(RULE).fill('os == "android"');
    await page.locator('dialog #sign-in').waitFor();
    await page.fill('dialog #password', 'another horse battery');
    await page.click('dialog #login');
    await page.locator('dialog').waitFor({state: 'detached'});
    await shows(page, '#reached', '1 device');
    const before = (await api('GET', '/releases')).releases.length;
    if (await page.locator('#again').count()) await page.check('#again');
    await until('keep', () => page.locator('#keep').isEnabled());
    await page.click('#keep');
    await page.locator('#question-do').dblclick();
    await shows(page, 'main h1', 'draft');
    const after = (await api('GET', '/releases')).releases;
    equal([after.length, after[0].rule], [before + 1, 'os == "android"'], 'releases');
    const rows = (await api('GET', '/audit?user=rolf')).rows.filter((row) => row.action === 'POST /api/v1/releases');
    equal(rows.map((row) => row.outcome), ['done'], 'rows of the log after two presses');
  },
};
