// Every page: readable by tools, by keyboard, on a narrow screen, and with whatever devices are called.
import {api, check, equal, facts, overhang, serious, shows, signIn, until, visit} from '../browser.mjs';

const PAGES = ['#/home', '#/releases', '#/releases/new', '#/fleet', `#/fleet/${facts.devices.odd}`, '#/packages', '#/packages/digits/1.0.0', '#/packages/digits/1.0.0?tab=contents&file=.manifest.json', '#/packages/digits/1.0.0?tab=graph', '#/packages/digits/3.0.0?tab=difference', '#/tasks', '#/tasks/digits', '#/tasks/digits/try?base=1.0.0', '#/releases/campaigns',
  '#/streams', '#/models', '#/admin/approvals', '#/admin/audit', '#/admin/users', '#/admin/join-tokens', '#/admin/webhooks', '#/admin/expiry', '#/admin/me'];
const withRelease = async () => [...PAGES, `#/releases/${(await api('GET', '/releases')).releases.find((item) => item.counts.members > 0)?.id ?? 'none'}`];

const NARROW = {width: 390, height: 844}, WIDE = {width: 1280, height: 900};

// A page's effects run after a frame, which a busy machine draws late.
function framesLate() {
  const later = window.setTimeout;
  window.requestIdleCallback = (work) => later(work, 0);
  window.requestAnimationFrame = (work) => later(work, 1_500);
  window.setTimeout = (work, ms, ...more) => later(work, ms > 0 && ms <= 100 ? 1_500 : ms, ...more);
}

export default {
  'axe-core finds nothing serious on any page, in light and dark, and none scrolls sideways at 390 px': [async (page) => {
    await signIn(page);
    const found = [];
    for (const hash of await withRelease()) {
      await page.setViewportSize(WIDE);
      await visit(page, hash);
      if (hash.endsWith('tab=graph')) await page.locator('.graph-sign').first().waitFor();
      await page.waitForTimeout(150);
      for (const line of await serious(page)) found.push(`${hash}: ${line}`);
      await page.emulateMedia({colorScheme: 'dark'});
      for (const line of await serious(page, ['color-contrast'])) found.push(`${hash}, dark: ${line}`);
      await page.emulateMedia({colorScheme: 'light'});
      await page.setViewportSize(NARROW);
      await page.waitForTimeout(50);
      const over = await overhang(page);
      if (over > 0) found.push(`${hash}: ${over} px wider than a window of 390 px`);
    }
    equal(found, [], 'faults');
  }, {most_ms: 120_000}],

  'a page whose code comes before its first frame is shown': async (page) => {
    await signIn(page);
    await page.addInitScript(framesLate);
    await page.goto('about:blank');
    await page.goto(`${facts.url}/#/admin/me`);
    await shows(page, 'main', 'Who you are', 8_000);
  },

  'a question takes the keyboard before its first frame': async (page) => {
    await signIn(page, {at: `#/fleet/${facts.devices.far}`});
    await page.locator('#block').waitFor();
    await page.evaluate(framesLate);
    const modal = await page.evaluate(async () => {
      document.getElementById('block').click();
      await new Promise((go) => {
        const {port1, port2} = new MessageChannel();
        port1.onmessage = go;
        port2.postMessage('the page has drawn anew');
      });
      return document.querySelector('dialog')?.matches(':modal');
    });
    check(modal, 'it does not stand over the page yet');
  },

  'on a narrow screen the menu opens the pages, and no column is cut away': async (page) => {
    await page.setViewportSize(NARROW);
    await signIn(page);
    check(!(await page.locator('#nav').isVisible()), 'the pages are not folded');
    await page.getByRole('button', {name: 'Menu'}).click();
    await page.locator('#nav').getByRole('link', {name: 'Fleet'}).click();
    await shows(page, 'main h1', 'Fleet');
    // Nothing of a row is cut away: class and tags stand under the id.
    await shows(page, '#devices', 'eu/de');
  },

  'names with markup and marks of direction stay text': async (page) => {
    await signIn(page, {at: `#/fleet/${facts.devices.odd}`});
    await shows(page, 'main', '<img src=x onerror=alert(1)>');
    equal(await page.locator('main img').count(), 0, 'pictures made of text');
    check(await page.locator('bdi', {hasText: 'onerror'}).count() > 0, 'text of devices stands in no bdi');
    check(await overhang(page) <= 0, 'the page scrolls sideways');
  },

  'a device says why, for a release that is named, and what it runs': async (page) => {
    await signIn(page, {at: `#/fleet/${facts.devices.far}`});
    await shows(page, '#why-text', 'outside the rule');
    await shows(page, '#why-text', 'digits');
    const first = (await api('GET', '/releases')).releases.find((item) => item.version === '1.0.0' && item.state !== 'stopped');
    await page.selectOption('#why-release', first.id);
    await until('the address to name it', () => page.url().includes(`release=${first.id}`));
    await shows(page, '#why-text', 'app_version');
    await visit(page, `#/fleet/${facts.devices.near}`);
    await shows(page, '#runs', 'digits');
    await shows(page, '#timeline', 'confirmed');
  },

  'blocking asks first; tags are kept': async (page) => {
    await signIn(page, {at: `#/fleet/${facts.devices.far}`});
    await page.click('#block');
    await shows(page, '#question', 'Its line ends at once');
    await page.keyboard.press('Escape');
    equal((await api('GET', `/devices/${facts.devices.far}`)).blocked, false, 'blocked without a yes');
    await page.click('#block');
    await page.click('#question-do');
    await shows(page, 'h1', 'blocked');
    equal((await api('GET', `/devices/${facts.devices.far}`)).blocked, true, 'blocked');
    await page.click('#block');
    await page.click('#question-do');
    await until('it to be free', async () => !(await api('GET', `/devices/${facts.devices.far}`)).blocked);
    await page.click('#edit-tags');
    await page.fill('#tags', 'lab, eu/fr');
    await page.click('#save-tags');
    await shows(page, 'main', 'eu/fr, lab');
  },

  'toasts hold long words': async (page) => {
    await signIn(page, {at: `#/fleet/${facts.devices.far}`});
    await page.route('**/block', (route) => route.fulfill({status: 409, json: {error: {code: 6, name: 'failed_precondition', text: `no: ${'f'.repeat(300)}`}}}));
    await page.click('#block');
    await page.click('#question-do');
    await shows(page, '#question', 'fff');
    const [dialog, text] = await Promise.all([page.locator('dialog').boundingBox(), page.locator('#question .note').boundingBox()]);
    check(text.x + text.width <= dialog.x + dialog.width, 'the text runs out of its box');
    check(await page.locator('dialog').evaluate((box) => box.scrollWidth <= box.clientWidth), 'the dialog scrolls sideways');
  },

  'the audit log is searched, checked and exported': async (page) => {
    await signIn(page, {at: '#/admin/audit'});
    await shows(page, '#audit', '/api/v1/releases');
    await page.click('#audit-verify');
    await shows(page, '#audit-check', 'The chain is whole');
    await page.fill('#audit-head', '1:00');
    await page.click('#audit-verify');
    await shows(page, '#audit-check', 'broken');
    const [file] = await Promise.all([page.waitForEvent('download'), page.click('#audit-export')]);
    equal(file.suggestedFilename(), 'audit.jsonl');
    await page.fill('#audit-user', 'nobody');
    await shows(page, 'main', 'No row fits');
  },

  'users, tokens and join tokens are made; secrets are shown once': async (page) => {
    await signIn(page, {at: '#/admin/users'});
    await page.click('#new-user');
    await page.fill('#new-name', 'vera');
    await page.selectOption('#new-role', 'viewer');
    await page.click('#save-user');
    const password = await page.locator('#secret').innerText();
    check(password.length >= 12, password);
    await page.getByRole('button', {name: 'Done'}).click();
    await shows(page, '#users', 'vera');
    await visit(page, '#/admin/join-tokens');
    await page.click('#new-join-token');
    await page.fill('#join-uses', '3');
    await page.click('#make-token');
    await page.locator('.qr .dark[d^="M"]').waitFor();
    await page.getByRole('button', {name: 'Done'}).click();
    await shows(page, '#join-tokens', '3');
    await page.click('#sign-out');
    // Who only looks is offered nothing that changes.
    await page.fill('#user-name', 'vera');
    await page.fill('#password', password);
    await page.click('#login');
    await page.locator('#connection[data-state="live"]').waitFor();
    await visit(page, '#/releases');
    await page.locator('#releases').waitFor();
    equal(await page.locator('#new-release').count(), 0, 'new release');
    await visit(page, `#/fleet/${facts.devices.far}`);
    await page.locator('#why').waitFor();
    equal(await page.locator('#block').count(), 0, 'block');
    equal(await page.locator('nav[aria-label="Sections"] a', {hasText: 'Users'}).count(), 0, 'users');
  },

  'the keyboard reaches everything: skip link, rows, dialogs': async (page) => {
    await signIn(page, {at: '#/releases'});
    await page.locator('#releases').waitFor();
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press('Tab');
    equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to the page', 'first');
    await page.keyboard.press('Enter');
    equal(await page.evaluate(() => document.activeElement.tagName), 'H1', 'after the skip');
    for (let i = 0; i < 12 && !(await page.evaluate(() => document.activeElement.matches('#releases a'))); i += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('#decisions').waitFor();
    equal(await page.evaluate(() => document.activeElement.tagName), 'H1', 'focus on the new page');
  },
};
