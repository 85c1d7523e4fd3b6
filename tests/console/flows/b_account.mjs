// A second factor on a real account: set up, asked for, each code once, recovery codes, taken off.
import {createHmac} from 'node:crypto';
import {api, ask, check, equal, shows, signIn, until} from '../browser.mjs';

const PASSWORD = 'correct horse battery';
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

// RFC 6238 with what authenticators take: SHA-1, 30 s, six digits.
function codeOf(secret, at) {
  const bits = [...secret].map((letter) => LETTERS.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)));
  const mac = createHmac('sha1', key).update(step).digest();
  return String((mac.readUInt32BE(mac[19] & 15) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

async function out(page) {
  await page.click('#sign-out');
  await page.locator('#password').waitFor();
}
async function inWith(page, code) {
  await page.fill('#user-name', 'tina');
  await page.fill('#password', PASSWORD);
  await page.click('#login');
  await page.locator('#code').waitFor();
  await page.fill('#code', code);
  await page.click('#login');
}
const isIn = (page) => page.locator('#connection').waitFor();

export default {
  'a second factor is set up, asked for, and taken off': async (page) => {
    await api('POST', '/users', {name: 'tina', role: 'viewer', password: PASSWORD});
    await signIn(page, {user: 'tina', password: PASSWORD, at: '#/admin/me'});
    await page.click('#totp-on');
    await page.locator('.qr .dark[d^="M"]').waitFor();
    const secret = await page.locator('#secret').innerText();
    const recovery = await page.locator('.ids.mono li').allInnerTexts();
    equal(recovery.length, 10, 'recovery codes');
    // A code of the present step; the next step's is taken too, once.
    const now = Date.now();
    await page.fill('#totp-code', '12345');
    await page.click('#totp-confirm');
    await shows(page, '#totp-code-wrong', 'wrong');
    await page.fill('#totp-code', codeOf(secret, now));
    await page.click('#totp-confirm');
    await page.locator('#totp-off').waitFor();
    await out(page);
    await inWith(page, codeOf(secret, now));
    await shows(page, '#code-wrong', 'used before');
    await page.fill('#code', codeOf(secret, now + 30_000));
    await page.click('#login');
    await isIn(page);
    await out(page);
    await inWith(page, recovery[0].toUpperCase());
    await isIn(page);
    await out(page);
    await inWith(page, recovery[0]);
    await shows(page, '#code-wrong', 'does not fit');
    await page.fill('#code', recovery[1]);
    await page.click('#login');
    await isIn(page);
    await page.evaluate(() => { location.hash = '#/admin/me'; });
    await page.fill('#totp-off-code', recovery[2]);
    await page.click('#totp-off');
    await page.locator('#totp-on').waitFor();
    await out(page);
    await signIn(page, {user: 'tina', password: PASSWORD});
    check((await api('GET', '/users/tina')).totp === false, 'the factor is still there');
  },

  'one browser is signed in at two servers of one host': async (page) => {
    const second = await ask('second_server');
    await signIn(page);
    const tab = await page.context().newPage();
    await tab.goto(`${second.url}/`);
    await tab.fill('#password', second.password);
    await tab.click('#login');
    await tab.locator('#connection[data-state="live"]').waitFor();
    for (const one of [page, tab]) {
      await one.reload();
      await one.locator('#connection[data-state="live"]').waitFor();
    }
    const names = (await page.context().cookies()).map((cookie) => cookie.name).filter((name) => name.startsWith('ferry-session'));
    equal(new Set(names).size, 2, 'cookies');
    await tab.click('#sign-out');
    await tab.locator('#password').waitFor();
    await until('the first to be still there', async () => (await page.evaluate(async () => (await fetch('/api/v1/session')).status)) === 200);
    await tab.close();
  },
};
