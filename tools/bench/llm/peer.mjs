// One round of llama.cpp on one GGUF file: reads prompts of some lengths, then generates behind each.
//   node peer.mjs FILE THREADS GENERATE PROMPT...
import {getLlama} from "node-llama-cpp";

const [file, threads, generate, ...prompts] = process.argv.slice(2);
const llama = await getLlama({
  gpu: false, build: "never", skipDownload: true, logLevel: "error", maxThreads: Number(threads),
});
const model = await llama.loadModel({modelPath: file, gpuLayers: 0});
const longest = Math.max(...prompts.map(Number));
const context = await model.createContext({
  contextSize: longest + Number(generate) + 16, batchSize: 512, threads: Number(threads), sequences: 1,
});
const sequence = context.getSequence();
const tokens = (count) => Array.from({length: count}, (_, i) => (i * 7919 + 17) % 151000);
const seconds = async (work) => {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
};
await sequence.evaluateWithoutGeneratingNewTokens(tokens(16));  // reads the weights from the disk
const rows = [];
for (const prompt of prompts.map(Number)) {
  await sequence.clearHistory();
  const prefill = await seconds(() => sequence.evaluateWithoutGeneratingNewTokens(tokens(prompt)));
  let made = 0;
  const decode = await seconds(async () => {
    for await (const _ of sequence.evaluate([5], {temperature: 0, yieldEogToken: true})) {
      if (++made >= Number(generate)) break;
    }
  });
  rows.push({prompt, prefill_tokens_per_s: prompt / prefill, decode_tokens_per_s: made / decode});
}
console.log(JSON.stringify(rows));
process.exit(0);
