// @NAME@: what the app asks of Ferry.
import { fileURLToPath } from 'node:url';
import ferry from 'ferry';

const MODEL = fileURLToPath(new URL('classifier.onnx', import.meta.url));
// A graph as "streams" of task.json has it: the mean of each three readings.
const STREAMS = [{
  name: 'means', source: 'reading', app: true,
  operators: [{ op: 'window', kind: 'count', size: 3, aggregates: [{ op: 'mean', field: 'value', as: 'mean' }] }],
}];

export class App {
  constructor(model = MODEL) {
    this.model = ferry.Model.open(model);
    this.stream = new ferry.Stream(STREAMS);
  }

  /** The probabilities of the classes; features: four numbers. */
  async classify(features) {
    const { prob } = await this.model.run({ features: new Float32Array(features) });
    return [...prob.data];
  }

  /** A reading of the sensor, as an event. */
  send(reading) {
    this.stream.sendEvent({ id: 'reading', data: { value: reading } });
  }

  /** The means since the last call. */
  means() {
    return this.stream.read().map(({ row }) => row.mean);
  }
}
