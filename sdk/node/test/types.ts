// Compiled, never run: what apps write has types.
import { FerryError, Model, Policy, Runtime, Session, Stream, Tensor } from 'ferry';

export async function engine(path: string): Promise<number> {
  const model = Model.open(path, { threads: 1, precision: 'exact', seed: 7n });
  const session: Session = model.session({ profile: true });
  const results: Record<string, Tensor> = await session.run(
    { image: { type: 'f32', shape: [1, 64], data: new Float32Array(64) }, mask: new Uint8Array(64) },
    { outputs: { prob: new Float32Array(10) }, signal: new AbortController().signal });
  const prob = results.prob.data as Float32Array;
  // @ts-expect-error: no such type
  model.runSync({ image: { type: 'float', data: prob } });
  // @ts-expect-error: made by open
  new Model();
  return prob[0] + model.inputs[0].scale + session.profile().length;
}

export async function tasks(): Promise<string> {
  const runtime = new Runtime({ onResult: (result) => console.log(result.package) });
  await runtime.openTask('digits.fpk');
  runtime.send({ id: 'page_enter', page: 'scan' });
  for await (const result of runtime.results()) if (result.error) throw new Error(result.error.name);
  const rows = await runtime.table('digits', 'seen').range({ prefix: ['a'], limit: 3 });
  const chat = (await runtime.languageModel('pair:draft')).chat({ mode: 'split', maxNew: 8 });
  let text = String(rows.length);
  for await (const piece of chat.say('hello')) text += piece.text + piece.ids.length + piece.source;
  const stream = new Stream([{ name: 'all', source: 'x', operators: [] }]);
  stream.send('x', { a: 1 });
  try {
    return Policy.matches('os == "linux"', { os: 'linux' }).reason ?? text;
  } catch (error) {
    return error instanceof FerryError ? `${error.code} ${error.name}` : text;
  }
}
