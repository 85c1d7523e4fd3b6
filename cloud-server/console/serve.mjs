// For work on the console: builds bundle/ when a source changes, serves it as ferry-server would, and passes calls on to one.
// usage: node serve.mjs SERVER [PORT]: http://127.0.0.1:8080, 8090 unless told
import {spawn} from 'node:child_process';
import {randomBytes} from 'node:crypto';
import {readFile} from 'node:fs/promises';
import {watch} from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const target = new URL(process.argv[2]);
const port = Number(process.argv[3] ?? 8090);
const MIME = {'.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8', '.svg': 'image/svg+xml', '.txt': 'text/plain'};

// As the server's own pages have it (cloud-server/admin).
const policy = (nonce) => `default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'; img-src 'self' data:; style-src 'self' 'nonce-${nonce}'; ` +
  "font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types ferry";

function pass(request, response) {
  const headers = {...request.headers, host: target.host};
  if (headers.origin) headers.origin = target.origin;
  delete headers.referer;
  const up = http.request({host: target.hostname, port: target.port, method: request.method, path: request.url, headers}, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
    answer.on('close', () => response.destroy());
  });
  up.on('error', () => response.destroy());
  response.on('close', () => up.destroy());
  request.pipe(up);
}

http.createServer(async (request, response) => {
  const name = new URL(request.url, 'http://x').pathname;
  if (name.startsWith('/api/') || name === '/metrics') return pass(request, response);
  try {
    const nonce = randomBytes(16).toString('base64');
    let body = await readFile(path.join(here, 'bundle', path.basename(name === '/' ? 'index.html' : name)));
    if (name === '/') body = body.toString().replace('{{nonce}}', nonce).replace('{{session}}', '');
    response.writeHead(200, {'Content-Type': MIME[path.extname(name === '/' ? 'index.html' : name)] ?? 'application/octet-stream', 'Cache-Control': 'no-store', 'Content-Security-Policy': policy(nonce)});
    response.end(body);
  } catch {
    response.writeHead(404).end();
  }
  return undefined;
}).listen(port, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${port}/\n`));

let building = false;
if (!process.argv.includes('--no-watch')) {
  watch(path.join(here, 'source'), {recursive: process.platform !== 'linux' || Number(process.versions.node.split('.')[0]) >= 20}, () => {
    if (building) return;
    building = true;
    setTimeout(() => spawn(process.execPath, [path.join(here, 'build.mjs')], {stdio: 'inherit'}).on('exit', () => { building = false; }), 100);
  });
}
