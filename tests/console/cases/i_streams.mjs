// What tasks did and streams brought up, day by day; how right answers are, day by day.
import {api, check, equal, shows, signIn, visit} from '../browser.mjs';

const use = (events, starts, failures) => ({devices: 5, events, starts, failures, inferences: starts});
const DAYS = {days: [
  {day: '2026-11-25', tasks: {digits: {'1.0.0': use(1000, 100, 0)}}, streams: {'digits.records': {devices: 5, rows: 100, bytes: 2_000_000}}},
  {day: '2026-11-26', tasks: {digits: {'1.0.0': use(400, 40, 1), '1.1.0': use(900, 90, 9)}, visits: {'2.0.0': use(50, 50, 0)}},
    streams: {'digits.records': {devices: 5, rows: 130, bytes: 3_000_000}, 'visits.rows': {devices: 2, rows: 10, bytes: 500_000}}}]};

export default {
  'streams: events, trigger hits and uplink over days': async (page) => {
    await page.route('**/api/v1/fleet/use*', (route) => route.fulfill({json: DAYS}));
    await signIn(page, {at: '#/streams'});
    await page.locator('#events .chart[aria-label*="events 1350"]').waitFor();
    await page.locator('#hits .chart[aria-label*="trigger hits 180, failed 10"]').waitFor();
    await page.locator('#uplink .chart[aria-label*="digits.records 3, visits.rows 1"]').waitFor();
    await page.locator('#hits canvas').waitFor();
    await shows(page, '#task-use', 'digits 1.1.0');
    await page.locator('#hits select').selectOption('visits');
    await page.locator('#hits .chart[aria-label*="trigger hits 50, failed 0"]').waitFor();
    check(page.url().includes('task=visits'), page.url());
  },

  'streams: what devices told stands there without a mock': async (page) => {
    equal(Array.isArray((await api('GET', '/fleet/use')).days), true, 'days');
    await signIn(page, {at: '#/streams'});
    await page.locator('#streams').waitFor();
  },

  'accuracy is counted day by day, and its question stands in the address': async (page) => {
    await page.route('**/api/v1/accuracy*', (route) => {
      const asked = new URL(route.request().url()).searchParams;
      const count = (rows, right) => ({rows, right, accuracy: right / rows, latency: {rows, p50: 900, p99: 2000}});
      if (asked.get('set') !== 'truth') return route.fulfill({status: 404, json: {error: {code: 5, name: 'not_found', text: 'there is no set'}}});
      return route.fulfill({json: {...count(30, 24), missing: 2, unlabelled: 1, devices: {}, days: {'2026-11-25': count(10, 9), '2026-11-26': count(20, 15)}}});
    });
    await signIn(page, {at: '#/streams/digits.records'});
    await page.fill('#accuracy-set', 'truth');
    await page.click('#accuracy-count');
    await shows(page, '#accuracy', '24 of 30, 80 %');
    await page.locator('#accuracy .chart[aria-label*="% right 75"]').waitFor();
    const address = page.url().split('#')[1];
    check(address.includes('set=truth'), address);
    await visit(page, '#/home');
    await visit(page, `#${address}`);
    await shows(page, '#accuracy', '24 of 30');
  },
};
