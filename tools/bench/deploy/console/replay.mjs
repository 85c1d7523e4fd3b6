// Stands before the server: passes everything on but the live events, in whose place it tells a made-up hour of one release.
import http from 'node:http';

const EVERY_MS = 10;

// What the server tells a new reader, as [kind, data] pairs.
async function greeting(url, token) {
  const abort = new AbortController();
  const answer = await fetch(`${url}/api/v1/live`, {headers: {Authorization: `Bearer ${token}`}, signal: abort.signal});
  setTimeout(() => abort.abort(), 2000);
  let text = '';
  try {
    for await (const piece of answer.body) text += new TextDecoder().decode(piece);
  } catch {
    // It ends when we have heard enough.
  }
  return text.split('\n\n').map((event) => [/^event: (.*)$/m.exec(event)?.[1], /^data: (.*)$/m.exec(event)?.[1]]).filter(([, data]) => data);
}

// One second of the hour: devices go on, a decision now and then, the status always.
function second(release, n) {
  const counts = {...release.counts, healthy: (release.counts.healthy ?? 0) + n, members: (release.counts.members ?? 0) + n};
  const told = {id: release.id, counts, gates: (release.gates ?? []).map((gate) => ({...gate, healthy: (gate.healthy ?? 0) + n}))};
  const last = release.events?.at(-1);
  if (last && n % 10 === 0) told.events = [{...last, seq: last.seq + n, text: `${last.text} (${n})`}];
  return told;
}

export async function replay(url, id, token, events) {
  const target = new URL(url);
  const first = await greeting(url, token);
  const release = JSON.parse(first.find(([kind, data]) => kind === 'release' && JSON.parse(data).id === id)[1]);
  let finish, took = 0;
  const done = new Promise((resolve) => { finish = resolve; });
  const tell = (response, kind, data, number) => response.write(`id: replay-${number}\nevent: ${kind}\ndata: ${data}\n\n`);

  function live(response) {
    response.writeHead(200, {'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store'});
    first.forEach(([kind, data], at) => tell(response, kind, data, at));
    const begun = Date.now();
    let n = 0;
    const timer = setInterval(() => {
      if (response.destroyed || n >= events) {
        clearInterval(timer);
        took = (Date.now() - begun) / 1000;
        if (n >= events) finish();
        return;
      }
      tell(response, 'release', JSON.stringify(second(release, ++n)), first.length + n);
    }, EVERY_MS);
  }

  function pass(request, response) {
    const headers = {...request.headers, host: target.host};
    if (headers.origin) headers.origin = target.origin;
    delete headers.referer;
    const up = http.request({host: target.hostname, port: target.port, method: request.method, path: request.url, headers}, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    up.on('error', () => response.destroy());
    request.pipe(up);
  }

  const server = http.createServer((request, response) => request.url.startsWith('/api/v1/live') ? live(response) : pass(request, response));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {url: `http://127.0.0.1:${server.address().port}`, done, seconds: () => took.toFixed(0), close: () => server.closeAllConnections?.() ?? server.close()};
}
