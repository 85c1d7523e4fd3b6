// Writes bundle/ from source/: minified, split (editor, chart, code and graphs are loaded when they are needed), with the hash of
// its content in each name. The same sources and packages give the same bytes.
// usage: node build.mjs [FOLDER]
import {build} from 'esbuild';
import {mkdir, readFile, readdir, rm, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const out = path.resolve(process.argv[2] ?? path.join(here, 'bundle'));

const common = {
  absWorkingDir: here,
  outdir: out,
  bundle: true,
  minify: true,
  format: 'esm',
  target: ['chrome109', 'firefox115', 'safari16.4'],
  charset: 'utf8',
  legalComments: 'none',
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  metafile: true,
  logLevel: 'warning',
};

const nameOf = (result, entry) => {
  const found = Object.entries(result.metafile.outputs).find(([, output]) => output.entryPoint === entry);
  return path.basename(found[0]);
};

// What an entry imports before anything runs: the page names it, so that it comes beside the entry and not after it.
const sharedBy = (result, entry) => Object.values(result.metafile.outputs).find((output) => output.entryPoint === entry)
    .imports.filter((item) => item.kind === 'import-statement').map((item) => path.basename(item.path));

// The packages that went into the bundle, with the text of each one's licence.
async function licences(results) {
  const names = new Set();
  for (const result of results) {
    for (const input of Object.keys(result.metafile.inputs)) {
      const found = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
      if (found) names.add(found[1]);
    }
  }
  const parts = ['What the bundle of the console contains beside its own code.\n'];
  for (const name of [...names].sort()) {
    const folder = path.join(here, 'node_modules', name);
    const about = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
    const file = (await readdir(folder)).find((item) => /^licen[cs]e(\.(md|txt))?$/i.test(item));
    const text = file ? (await readFile(path.join(folder, file), 'utf8')).replaceAll('\r\n', '\n').trim() : '';
    parts.push(`==== ${name} ${about.version}: ${about.license}\n\n${text || 'The package brings no text of its licence.'}\n`);
  }
  return parts.join('\n');
}

await rm(out, {recursive: true, force: true});
await mkdir(out, {recursive: true});
const live = await build({...common, entryPoints: {live: 'source/live/worker.ts'}});
const graph = await build({...common, entryPoints: {graph: 'source/graph/worker.ts'}});
const style = await build({...common, entryPoints: {style: 'source/style/all.css'}});
const main = await build({
  ...common,
  entryPoints: {main: 'source/main.tsx'},
  splitting: true,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  define: {
    FERRY_LIVE_URL: JSON.stringify(`/${nameOf(live, 'source/live/worker.ts')}`),
    FERRY_GRAPH_URL: JSON.stringify(`/${nameOf(graph, 'source/graph/worker.ts')}`),
  },
});
const index = await readFile(path.join(here, 'source/index.html'), 'utf8');
const preload = '<link rel="modulepreload" href="/SHARED">\n';
await writeFile(path.join(out, 'index.html'), index.replace('STYLE', nameOf(style, 'source/style/all.css'))
    .replace(preload, sharedBy(main, 'source/main.tsx').map((name) => preload.replace('SHARED', name)).join(''))
    .replace('MAIN', nameOf(main, 'source/main.tsx')));
await writeFile(path.join(out, 'icon.svg'), await readFile(path.join(here, 'source/icon.svg')));
await writeFile(path.join(out, 'LICENCES.txt'), await licences([live, graph, style, main]));
