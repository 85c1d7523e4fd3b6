// Runs @NAME@.onnx and compares with what it must give.
import assert from 'node:assert';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import ferry from 'ferry';

const CASES = [
  [[1, 0, 0, 0], [0.651564, 0.216887, 0.131549]],
  [[0, 2, 0, 1], [0.038405, 0.771376, 0.190219]],
];
const model = ferry.Model.open(fileURLToPath(new URL('@NAME@.onnx', import.meta.url)));

for (const [features, expected] of CASES) {
  test(`features ${features}`, async () => {
    const { prob } = await model.run({ features: new Float32Array(features) });
    assert.deepStrictEqual(prob.shape, [1, 3]);
    prob.data.forEach((one, at) => assert.ok(Math.abs(one - expected[at]) < 1e-3, `${one}, expected ${expected[at]}`));
  });
}
