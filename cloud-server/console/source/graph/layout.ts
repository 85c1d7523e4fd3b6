// Where nodes and edges lie: asked of a worker, which is started when a graph is about to be seen and ends when none was for a while.
import {workerUrl} from '../worker_url';

export interface Point { x: number; y: number }
interface ElkNode { id: string; width?: number; height?: number; x?: number; y?: number; children?: ElkNode[]; layoutOptions?: Record<string, string>;
  labels?: {text: string; width: number; height: number}[] }
interface ElkEdge { id: string; sources: string[]; targets: string[]; sections?: {startPoint: Point; endPoint: Point; bendPoints?: Point[]}[] }
interface ElkGraph extends ElkNode { edges: ElkEdge[] }

export interface Box { id: string; parent: string | null; width: number; height: number; open: boolean }
export interface Placed { width: number; height: number; boxes: Map<string, {x: number; y: number; width: number; height: number}>; lines: Point[][] }

const FRAME_HEAD = 30;
const IDLE_MS = 120_000;
// Quick ways of each step: a picture is looked at for a moment, and drawn anew at each press.
const OPTIONS = {
  'elk.algorithm': 'layered', 'elk.direction': 'DOWN', 'elk.hierarchyHandling': 'INCLUDE_CHILDREN', 'elk.edgeRouting': 'POLYLINE',
  'elk.layered.thoroughness': '3', 'elk.layered.nodePlacement.strategy': 'BRANDES_KOEPF', 'elk.layered.crossingMinimization.greedySwitch.type': 'OFF',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES', 'elk.spacing.nodeNode': '24', 'elk.layered.spacing.nodeNodeBetweenLayers': '34',
  'elk.json.shapeCoords': 'ROOT', 'elk.json.edgeCoords': 'ROOT', 'elk.padding': '[top=12,left=12,bottom=12,right=12]',
};

const FRAME = {
  'elk.padding': '[top=12,left=12,bottom=12,right=12]', 'elk.nodeLabels.placement': 'INSIDE V_TOP H_CENTER', 'elk.nodeSize.constraints': 'NODE_LABELS',
  'elk.spacing.nodeNode': OPTIONS['elk.spacing.nodeNode'], 'elk.layered.spacing.nodeNodeBetweenLayers': OPTIONS['elk.layered.spacing.nodeNodeBetweenLayers'],
};

export function elkGraph(boxes: Box[], edges: {from: string; to: string}[]): ElkGraph {
  const root: ElkGraph = {id: 'root', layoutOptions: OPTIONS, children: [], edges: edges.map(({from, to}, at) => ({id: `e${at}`, sources: [from], targets: [to]}))};
  const made = new Map<string, ElkNode>();
  for (const box of boxes) {
    const node: ElkNode = box.open
      ? {id: box.id, children: [], labels: [{text: box.id, width: box.width - 10, height: FRAME_HEAD}], layoutOptions: FRAME}
      : {id: box.id, width: box.width, height: box.height};
    made.set(box.id, node);
    ((box.parent === null ? root : made.get(box.parent) ?? root).children ??= []).push(node);
  }
  return root;
}

export function placed(graph: ElkGraph): Placed {
  const boxes: Placed['boxes'] = new Map();
  const take = (node: ElkNode): void => {
    for (const child of node.children ?? []) {
      boxes.set(child.id, {x: child.x ?? 0, y: child.y ?? 0, width: child.width ?? 0, height: child.height ?? 0});
      take(child);
    }
  };
  take(graph);
  const lines = graph.edges.map((edge) => (edge.sections ?? []).flatMap((section) => [section.startPoint, ...(section.bendPoints ?? []), section.endPoint]));
  return {width: graph.width ?? 0, height: graph.height ?? 0, boxes, lines};
}

interface Reply { id: number; data?: ElkGraph; error?: {message?: string} | string }
interface Waiting { give: (graph: ElkGraph) => void; fail: (error: Error) => void }

export class Layouter {
  private worker: Worker | null = null;
  private next = 1;
  private waiting = new Map<number, Waiting>();
  private idle = 0;
  ready = false;   // a layout takes a moment only

  private start(): Worker {
    clearTimeout(this.idle);
    this.idle = window.setTimeout(() => this.end('it took too long'), IDLE_MS);
    if (this.worker) return this.worker;
    const worker = new Worker(workerUrl('graph'), {name: 'ferry-graph'});
    worker.onmessage = (message: MessageEvent<Reply>) => {
      const {id, data, error} = message.data;
      const asked = this.waiting.get(id);
      this.waiting.delete(id);
      this.ready = true;
      if (data && !error) asked?.give(data);
      else asked?.fail(new Error(typeof error === 'string' ? error : error?.message ?? 'no layout was found'));
    };
    worker.onerror = () => this.end('the part that lays graphs out did not start');
    worker.postMessage({id: 0, cmd: 'register', algorithms: ['layered']});
    this.worker = worker;
    return worker;
  }

  // Begins loading what layouts need before there is a graph: the first one prepares tables that all later ones use.
  warm(): void {
    if (this.worker) return;
    const boxes = ['a', 'b', 'c', 'd'].map((id): Box => ({id, parent: null, width: 90, height: 44, open: false}));
    this.layout(boxes, [{from: 'a', to: 'b'}, {from: 'a', to: 'c'}, {from: 'b', to: 'd'}, {from: 'c', to: 'd'}]).catch(() => undefined);
  }

  async layout(boxes: Box[], edges: {from: string; to: string}[]): Promise<Placed> {
    const worker = this.start();
    const id = this.next++;
    const graph = await new Promise<ElkGraph>((give, fail) => {
      this.waiting.set(id, {give, fail});
      worker.postMessage({id, cmd: 'layout', graph: elkGraph(boxes, edges), layoutOptions: {}, options: {}});
    });
    return placed(graph);
  }

  private end(why: string): void {
    this.worker?.terminate();
    this.worker = null;
    this.ready = false;
    for (const asked of this.waiting.values()) asked.fail(new Error(why));
    this.waiting.clear();
  }
}

export const layouter = new Layouter();
