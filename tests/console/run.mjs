// Runs the cases of a folder (FERRY_CASES; cases/ if absent) in one browser, each in a page of its own, and prints a line a case: "ok NAME SECONDS" or "not ok NAME: WHY".
// usage: node run.mjs [NAME...]: cases whose name holds one of these
import {mkdirSync} from 'node:fs';
import {readdir} from 'node:fs/promises';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {facts, launch, newPage} from './browser.mjs';

const MOST_MS = 45_000;  // of a case: a page that hangs answers nobody

const folder = path.resolve(fileURLToPath(new URL('.', import.meta.url)), process.env.FERRY_CASES ?? 'cases');
const wanted = process.argv.slice(2);
const browser = await launch();
for (const file of (await readdir(folder)).filter((name) => name.endsWith('.mjs')).sort()) {
  const {default: cases} = await import(path.join(folder, file));
  for (const [title, run, options] of Object.entries(cases).map(([title, value]) => [title, ...[value].flat()])) {
    const name = `${file.replace('.mjs', '')}: ${title}`;
    if (wanted.length > 0 && !wanted.some((part) => name.includes(part))) continue;
    const started = Date.now();
    const page = await newPage(browser);
    const late = setTimeout(() => {
      process.stdout.write(`not ok ${name}: it hangs; the cases after it did not run\n`, () => process.exit(1));
    }, options?.most_ms ?? MOST_MS);
    try {
      await run(page, browser);
      if (page.faults.length > 0) throw new Error(page.faults.join('; '));
      process.stdout.write(`ok ${name} ${((Date.now() - started) / 1000).toFixed(1)}\n`);
    } catch (error) {
      const pictures = path.join(facts.folder, 'pictures');
      mkdirSync(pictures, {recursive: true});
      await page.screenshot({path: path.join(pictures, `${name.replaceAll(/[^a-z0-9]+/gi, '_')}.png`)}).catch(() => undefined);
      process.stdout.write(`not ok ${name}: ${String(error.stack ?? error).replaceAll('\n', ' | ')}\n`);
    }
    await page.context().close();
    clearTimeout(late);
  }
}
await browser.close();
process.exit(0);
