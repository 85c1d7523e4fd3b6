// What is known of the node or group that is chosen in the picture.
import type {ComponentChildren} from 'preact';
import type {Group} from '../../../graph/fold';
import {groupName, sumsOf} from '../../../graph/signs';
import {roundText, typeText, type ModelGraph, type QuantizedValue} from '../../../graph/model';
import {Button} from '../../../parts/button';
import {Card, Facts} from '../../../parts/page';
import {Said, bytesText, countText, shareText} from '../../../parts/text';

const NO_VALUE = -1;

function Values({graph, numbers}: {graph: ModelGraph; numbers: number[]}) {
  return <ul class="graph-values">{numbers.map((number, at) => {
    const value = graph.values[number];
    return <li key={at}>{number === NO_VALUE || !value ? <span class="muted">left out</span>
      : <><bdi>{value.name}</bdi> <span class="muted">{typeText(value)}{value.bytes !== undefined && `, constant of ${bytesText(value.bytes)}`}</span></>}</li>;
  })}</ul>;
}

export const microText = (us: number): string => us >= 1e6 ? `${(us / 1e6).toPrecision(3)} s` : us >= 1000 ? `${(us / 1000).toPrecision(3)} ms` : `${Number(us.toPrecision(3))} µs`;
const quantText = (value: QuantizedValue): string => `input ${value.input + 1}: ${value.bits} bits (${value.dtype}), ${value.scheme}`;

function NodeFacts({graph, at}: {graph: ModelGraph; at: number}) {
  const node = graph.nodes[at];
  if (!node) return null;
  const quantised = graph.quantization.nodes.find((item) => item.node === at);
  const rows: [string, ComponentChildren][] = [
    ['Name', node.name ? <Said text={node.name} /> : <span class="muted">none</span>],
    ['Place', `${at + 1} of ${countText(graph.node_count)}`],
    ['Inputs', <Values graph={graph} numbers={node.inputs} />],
    ['Outputs', <Values graph={graph} numbers={node.outputs} />],
  ];
  const attributes = Object.entries(node.attributes);
  if (attributes.length) rows.push(['Attributes', <ul class="graph-values">{attributes.map(([key, value]) => <li key={key}><bdi>{key}</bdi> <code><bdi>{value}</bdi></code></li>)}</ul>]);
  rows.push(['Weights', bytesText(node.weight_bytes)]);
  rows.push(['Cost, estimated', node.macs === undefined ? <span class="muted">shapes are known when it runs</span>
    : `${roundText(node.macs)} MACs (${shareText(node.macs, graph.macs)}), moves ${bytesText(node.bytes)}`]);
  if (node.reported_us !== undefined) rows.push(['Cost, reported', `${microText(node.reported_us)} (${shareText(node.reported_us, graph.reported?.us ?? 0)})`]);
  if (quantised) rows.push(['Quantised', <ul class="graph-values">{[...quantised.weights, ...quantised.activations].map((value, k) => <li key={k}>{quantText(value)}</li>)}</ul>]);
  return <>{node.problem && <div class="note" data-tone="bad"><bdi>{node.problem}</bdi></div>}<Facts rows={rows} /></>;
}

function GroupFacts({graph, group, open, onOpen}: {graph: ModelGraph; group: Group; open: boolean; onOpen: () => void}) {
  const sums = sumsOf(graph, group);
  return (
    <>
      <Facts rows={[
        ['Nodes', `${countText(sums.nodes)}, ${group.first + 1} to ${group.last + 1}`],
        ['Operators', sums.ops.slice(0, 12).map(([op, count]) => `${op} ${count}`).join(', ')],
        ['Weights', bytesText(sums.weight_bytes)],
        ['Cost, estimated', `${roundText(sums.macs)} MACs (${shareText(sums.macs, graph.macs)})`],
      ]} />
      <Button small id="graph-open" onPress={onOpen}>{open ? 'Fold it' : 'Open it'}</Button>
    </>
  );
}

export function Chosen({graph, id, group, open, onOpen}: {graph: ModelGraph; id: string | null; group: Group | undefined; open: boolean; onOpen: () => void}) {
  const node = id?.startsWith('n') ? Number(id.slice(1)) : null;
  const end = id && /^(in|out)\d+$/.exec(id);
  const value = end ? graph.values[(end[1] === 'in' ? graph.inputs : graph.outputs)[Number(id.slice(end[1]?.length))] ?? NO_VALUE] : undefined;
  const title = group ? groupName(graph, group) : node !== null ? graph.nodes[node]?.op ?? 'Node' : value ? value.name : 'Nothing is chosen';
  return (
    <Card id="graph-chosen">
      <h2><bdi>{title}</bdi></h2>
      {group ? <GroupFacts graph={graph} group={group} open={open} onOpen={onOpen} /> : node !== null ? <NodeFacts graph={graph} at={node} />
        : value ? <Facts rows={[['Type', typeText(value)], ['It is', end?.[1] === 'in' ? 'an input of the model' : 'an output of the model']]} />
          : <p class="muted">Press a node to see its shapes, attributes and cost. By keyboard: arrows walk, Enter opens, + and - zoom, 0 shows all.</p>}
    </Card>
  );
}
