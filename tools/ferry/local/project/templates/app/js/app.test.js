import assert from 'node:assert';
import test from 'node:test';
import { App } from './app.js';

test('classify', async () => {
  const expected = [0.651564, 0.216887, 0.131549];
  const got = await new App().classify([1, 0, 0, 0]);
  assert.strictEqual(got.length, expected.length);
  got.forEach((prob, at) => assert.ok(Math.abs(prob - expected[at]) < 1e-4, `class ${at}: ${prob}`));
});

test('means', () => {
  const app = new App();
  app.send(1);
  app.send(2);
  assert.deepStrictEqual(app.means(), []);
  app.send(4.5);
  assert.deepStrictEqual(app.means(), [2.5]);
});

test('a model that is not there', () => {
  assert.throws(() => new App('no such file'), { name: 'not_found' });
});
