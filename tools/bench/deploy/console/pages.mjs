// What a browser does with the console: first paint, updates, many tabs, an hour of events. Prints [key, value, what] rows.
import {readFileSync} from 'node:fs';
import {facts, launch, newPage, alone, signIn, until} from '../../../../tests/console/browser.mjs';
import {replay} from './replay.mjs';

const rows = [];
const note = (key, value, what) => rows.push([key, value, what]);
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const release = `#/releases/${facts.release}`;

async function bearer() {
  const answer = await fetch(`${facts.url}/api/v1/login`, {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify({password: facts.password})});
  return (await answer.json()).token;
}
const token = await bearer();
const order = (verb) => fetch(`${facts.url}/api/v1/releases/${facts.release}/${verb}`, {
  method: 'POST', headers: {Authorization: `Bearer ${token}`, 'Content-Type': 'application/json'}, body: JSON.stringify({why: 'measured'})});

// Notes when the heading says that the release is paused, or no longer does, after the frame that shows it.
const watchFor = (page, paused) => page.evaluate((wanted) => {
  window.seenAt = 0;
  const look = () => {
    if (window.seenAt || document.querySelector('.page-head')?.innerText.toLowerCase().includes('paused') !== wanted) return;
    requestAnimationFrame(() => setTimeout(() => { window.seenAt ||= Date.now(); }));
  };
  new MutationObserver(look).observe(document.body, {subtree: true, childList: true, characterData: true});
  look();
}, paused);
const seenAt = (page) => page.evaluate(() => window.seenAt);

// Nothing cached, already signed in; the slowest of the pages that are opened first.
async function paint(browser) {
  const page = await newPage(browser);
  await signIn(page, {at: '#/home'});
  const storageState = await page.context().storageState();
  await page.context().close();
  for (const [name, hash] of [['home', '#/home'], ['fleet', '#/fleet'], ['release', release]]) {
    const taken = [];
    for (let round = 0; round < facts.rounds; ++round) {
      const fresh = await newPage(browser, {storageState});
      await fresh.addInitScript(() => {
        window.largest = 0;
        new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.largest = entry.startTime; }).observe({type: 'largest-contentful-paint', buffered: true});
      });
      await fresh.goto(`${facts.url}/${hash}`);
      await fresh.locator('main h1').waitFor();
      await wait(2000);
      taken.push(await fresh.evaluate(() => window.largest));
      await fresh.context().close();
    }
    note(`lcp_${name}_ms`, median(taken), `largest contentful paint of ${name}, nothing cached`);
  }
  note('lcp_ms', Math.max(...rows.filter(([key]) => key.startsWith('lcp_')).map(([, ms]) => ms)), 'the slowest of them');
  return storageState;
}

// From the call that changes something until the page shows it, and what moved for it.
async function updates(browser, storageState) {
  await order('resume');
  const page = await newPage(browser, {storageState});
  await alone(page);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Network.enable');
  // What came over the line: of an answer that has ended as it was packed, of one that goes on, as the stream of events, as it is.
  let ended = 0;
  const open = new Map();
  cdp.on('Network.dataReceived', ({requestId, dataLength}) => open.set(requestId, (open.get(requestId) ?? 0) + dataLength));
  cdp.on('Network.loadingFinished', ({requestId, encodedDataLength}) => { open.delete(requestId); ended += encodedDataLength; });
  const moved = () => ended + [...open.values()].reduce((sum, bytes) => sum + bytes, 0);
  await page.goto(`${facts.url}/${release}`);
  await page.locator('#connection[data-state="live"]').waitFor();
  await wait(2000);
  const taken = [], bytes = [];
  for (let round = 0; round < facts.rounds * 4; ++round) {
    const verb = round % 2 === 0 ? 'pause' : 'resume';
    await watchFor(page, verb === 'pause');
    ended = 0;
    open.clear();
    const begun = Date.now();
    await order(verb);
    taken.push(await until(`the page to follow ${verb}`, () => seenAt(page), 10_000) - begun);
    await wait(1500);
    bytes.push(moved());
  }
  note('update_ms', Math.max(...taken), `the slowest of ${taken.length} changes; half within ${median(taken)} ms`);
  note('update_bytes', Math.max(...bytes), `the most that one change moved; half ${median(bytes)}`);
  await page.context().close();
}

async function tabs(browser, storageState) {
  const first = await newPage(browser, {storageState});
  const pages = [first];
  while (pages.length < facts.tabs) pages.push(await first.context().newPage());
  for (const page of pages) await page.goto(`${facts.url}/${release}`);
  for (const page of pages) await page.locator('#connection[data-state="live"]').waitFor({timeout: 60_000});
  for (const page of pages) await watchFor(page, true);
  const begun = Date.now();
  await order('pause');
  await wait(5000);
  const seen = (await Promise.all(pages.map(seenAt))).filter((at) => at > 0);
  note('tabs_live', seen.length, `tabs of one browser that show a change within 5 s; the last after ${Math.max(...seen) - begun} ms`);
  await order('resume');
  await first.context().close();
}

// In a browser of its own, whose one renderer is the tab. Private memory, as Chromium's task manager counts it.
async function hour() {
  const browser = await launch();
  const proxy = await replay(facts.url, facts.release, token, facts.events);
  const page = await newPage(browser);
  await signIn(page, {at: release, url: proxy.url});
  await proxy.done;
  await wait(1000);
  const shown = await page.evaluate(() => document.querySelector('main').innerText.length);
  if (shown < 100) throw new Error('the page shows nothing after an hour of events');
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('HeapProfiler.collectGarbage');  // what a tab that is left alone does by itself
  const session = await browser.newBrowserCDPSession();
  const {processInfo} = await session.send('SystemInfo.getProcessInfo');
  const privateMb = ({id}) => Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'))[1]) / 1024;
  const renderers = processInfo.filter(({type}) => type === 'renderer').map(privateMb);
  note('tab_mb', Math.max(...renderers), `private memory of the tab after ${facts.events} events in ${proxy.seconds()} s`);
  await browser.close();
  proxy.close();
}

const browser = await launch();
const state = await paint(browser);
await updates(browser, state);
await tabs(browser, state);
await browser.close();
await hour();
process.stdout.write(JSON.stringify(rows));
process.exit(0);
