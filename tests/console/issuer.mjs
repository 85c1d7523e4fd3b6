// An issuer of OpenID Connect on loopback: oidc-provider with one client, users that tests name and a form that believes every
// password. Its keys are those of the file "keys", which it makes where there is none.
// usage: node issuer.mjs '{"port":1,"client":"ferry","secret":"..","return":"http://..","keys":"..","algorithm":"RS256","users":{"vera":["ml"]}}'
import {generateKeyPairSync} from 'node:crypto';
import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';

const entry = new URL('../../cloud-server/console/node_modules/oidc-provider/lib/index.js', import.meta.url);
const {Provider} = await import(entry);
const {port, client, secret, return: back, keys: file, algorithm, users} = JSON.parse(process.argv[2]);

const newKey = (alg) => {
  const pair = alg === 'ES256' ? generateKeyPairSync('ec', {namedCurve: 'P-256'}) : generateKeyPairSync('rsa', {modulusLength: 2048});
  return {...pair.privateKey.export({format: 'jwk'}), use: 'sig', alg};
};
if (!existsSync(file)) writeFileSync(file, JSON.stringify(['RS256', 'ES256'].map(newKey)));
const keys = JSON.parse(readFileSync(file, 'utf8'));

const provider = new Provider(`http://localhost:${port}`, {
  jwks: {keys},
  cookies: {keys: ['of a test']},
  clients: [{client_id: client, client_secret: secret, redirect_uris: [back], response_types: ['code'], grant_types: ['authorization_code'],
    id_token_signed_response_alg: algorithm}],
  pkce: {methods: ['S256'], required: () => true},
  claims: {openid: ['sub'], profile: ['preferred_username', 'groups'], email: ['email']},
  features: {devInteractions: {enabled: false}},
  interactions: {url: (_, interaction) => `/interaction/${interaction.uid}`},
  findAccount: (_, id) => ({accountId: id, claims: () => ({sub: id, preferred_username: id, groups: users[id] ?? []})}),
  // Nobody is asked what the client may know: that is the issuer's business.
  async loadExistingGrant(ctx) {
    const grant = new ctx.oidc.provider.Grant({clientId: ctx.oidc.client.clientId, accountId: ctx.oidc.session.accountId});
    grant.addOIDCScope('openid profile email');
    await grant.save();
    return grant;
  },
});

async function formOf(request) {
  let text = '';
  for await (const piece of request) text += piece;
  return new URLSearchParams(text);
}

provider.use(async (ctx, next) => {
  if (!ctx.path.startsWith('/interaction/')) return next();
  if (ctx.method === 'GET') {
    ctx.type = 'html';
    ctx.body = `<!doctype html><title>Issuer</title><h1>The issuer</h1><form method="post">
      <label>Name <input name="login" id="issuer-name"></label> <button id="issuer-go">Go on</button> <button id="issuer-deny" name="deny" value="1">Refuse</button></form>`;
    return undefined;
  }
  const form = await formOf(ctx.req);
  const result = form.get('deny') ? {error: 'access_denied', error_description: 'refused'} : {login: {accountId: form.get('login')}};
  ctx.respond = false;
  return provider.interactionFinished(ctx.req, ctx.res, result, {mergeWithLastSubmission: false});
});

provider.listen(port, '127.0.0.1', () => console.log('listens', fileURLToPath(entry)));
