// Ferry in Node.js 18 or later: a model on tensors, a task on events, a language model.
//
//   npm install ferry-0.1.0.tgz          the package that `tools/dev package` writes to build/packages
//   ferry pack tasks/digits -o digits.fpk
//   node app.mjs tasks/digits/digits.onnx digits.fpk tasks/pair/draft.flm < tasks/digits/images.f32
import { readFileSync } from 'node:fs';
import ferry from 'ferry';

const [modelPath, packagePath, chatPath] = process.argv.slice(2);
const bytes = new Uint8Array(readFileSync(0));
const image = (at) => new Float32Array(bytes.buffer, at * 256, 64);  // 8 by 8 pixels from 0 to 1

// A model: typed arrays in and out, without a copy; `run` leaves the event loop free.
const model = ferry.Model.open(modelPath);
for (const { name, type, shape } of model.inputs) console.log('input', name, type, JSON.stringify(shape));
const { prob } = await model.run({ image: { type: 'f32', shape: [1, 1, 8, 8], data: image(0) } });
console.log('digit', prob.data.indexOf(Math.max(...prob.data)));

// Several at once: the first extent is free, so the shape is found from the data.
const batch = await model.run({ image: new Float32Array(bytes.buffer, 0, 10 * 64) });
console.log('batch', JSON.stringify(batch.prob.shape));

// What goes wrong says where.
try {
  await model.run({ picture: image(0) });
} catch (error) {
  console.log(error.name, error.code, error.message);
}

// A task: events in, results out, with no server at all.
const runtime = new ferry.Runtime();
await runtime.openTask(packagePath);
const results = runtime.results();
for (let at = 0; at < 3; ++at) {
  runtime.send({ id: 'page_enter', page: 'scan' });
  runtime.send({ id: 'image', page: 'scan', data: { image: at, pixels: [...image(at)].map((one) => Math.round(one * 16)) } });
}
let left = 3;
for await (const { result } of results) {
  console.log('image', result.image, 'is a', result.digit);
  if (--left === 0) break;
}

// A language model: a text as it comes.
const chat = (await runtime.languageModel(chatPath)).chat({ maxNew: 16 });
process.stdout.write('My dear sir,');
for await (const { text } of chat.generate('My dear sir,')) process.stdout.write(text);
console.log();
await runtime.close();
