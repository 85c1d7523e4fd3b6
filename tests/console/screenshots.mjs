// Pictures of every page: light, dark and 390 px wide. Says which page is wider than its window.
import path from 'node:path';
import {facts, launch, newPage, overhang, signIn, visit} from './browser.mjs';

const DIR = process.argv[2];
const LOOKS = {
  light: {viewport: {width: 1280, height: 900}, colorScheme: 'light'},
  dark: {viewport: {width: 1280, height: 900}, colorScheme: 'dark'},
  narrow: {viewport: {width: 390, height: 844}, colorScheme: 'light', hasTouch: true, isMobile: true},
};

export const PAGES = {
  home: '#/home', releases: '#/releases', release_new: '#/releases/new', release_held: `#/releases/${facts.releases.held}`,
  release_complete: `#/releases/${facts.releases.complete}`, release_back: `#/releases/${facts.releases.back}`, fleet: '#/fleet',
  device: `#/fleet/${facts.devices.near}`, packages: '#/packages', package: '#/packages/digits/1.0.0', package_contents: '#/packages/digits/1.0.0?tab=contents&file=task.fbc', package_graph: '#/packages/digits/1.0.0?tab=graph&node=0',
  package_difference: '#/packages/digits/3.0.0?tab=difference', package_quantisation: '#/packages/digits/1.0.0?tab=quantisation', tasks: '#/tasks', task_try: '#/tasks/digits/try?base=1.0.0', campaigns: '#/releases/campaigns', streams: '#/streams',
  models: '#/models', approvals: '#/admin/approvals', audit: '#/admin/audit', users: '#/admin/users', join_tokens: '#/admin/join-tokens',
  webhooks: '#/admin/webhooks', expiry: '#/admin/expiry', me: '#/admin/me', nothing: '#/no/such/page',
};

const wide = [];
const browser = await launch();
for (const [look, options] of Object.entries(LOOKS)) {
  const page = await newPage(browser, options);
  await page.goto(`${facts.url}/`);
  await page.locator('#password').waitFor();
  await page.screenshot({path: path.join(DIR, `sign_in-${look}.png`)});
  await signIn(page);
  for (const [name, hash] of Object.entries(PAGES)) {
    await visit(page, hash);
    if (name === 'release_new') {
      await page.check('#who-rule');
      await page.locator('#rule .cm-content').fill(facts.rule);
      await page.locator('#reached').waitFor();
      await page.check('#plan-own');
    }
    await page.waitForTimeout(400);
    const over = await overhang(page);
    if (over > 0) wide.push(`${name} (${look}): ${over} px wider than its window`);
    await page.screenshot({path: path.join(DIR, `${name}-${look}.png`), fullPage: true});
  }
  await page.context().close();
}
await browser.close();
process.stdout.write(wide.map((line) => `${line}\n`).join(''));
process.exit(wide.length > 0 ? 1 : 0);
