// What a model's file holds of quantisation: bits, scheme, range of the scales, bytes before and after.
import type {ModelGraph, QuantizedNode, QuantizedValue} from '../../../graph/model';
import {Card, Facts} from '../../../parts/page';
import {LongTable, type Column} from '../../../parts/table';
import {bytesText, countText, shareText} from '../../../parts/text';
import {linkTo} from '../../../route';
import {WithModel, type Version} from './models';

interface Row { key: string; node: number; value: QuantizedValue; weights: boolean }

const numberText = (value: number): string => value !== 0 && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e4) ? value.toExponential(2) : String(Number(value.toPrecision(4)));

function rowsOf(nodes: QuantizedNode[]): Row[] {
  return nodes.flatMap((node) => [...node.weights.map((value) => ({value, weights: true})), ...node.activations.map((value) => ({value, weights: false}))]
    .map((part, at) => ({...part, key: `${node.node} ${at}`, node: node.node})));
}

function Report({of, graph, model}: {of: Version; graph: ModelGraph; model: string}) {
  const report = graph.quantization;
  const rows = rowsOf(report.nodes);
  const columns: Column<Row>[] = [
    {name: 'Node', width: 'wide', narrow: 'title', show: (row) => {
      const node = graph.nodes[row.node];
      return <a href={linkTo(['packages', of.name, of.version], {tab: 'graph', model, node: String(row.node)})}><bdi>{node?.name || node?.op}</bdi></a>;
    }},
    {name: 'What', width: 'state', narrow: 'end', show: (row) => row.weights ? 'weights' : 'activation'},
    {name: 'Bits', width: 'size', show: (row) => `${row.value.bits} (${row.value.dtype})`},
    {name: 'Scheme', width: 'wide', show: (row) => `${row.value.scheme}${row.value.symmetric ? ', symmetric' : ''}`},
    {name: 'Scales', width: 'wide', show: (row) => row.value.scales === undefined || row.value.scale_min === undefined || row.value.scale_max === undefined ? '-'
      : row.value.scales === 1 ? numberText(row.value.scale_min) : `${numberText(row.value.scale_min)} to ${numberText(row.value.scale_max)} (${countText(row.value.scales)})`},
    {name: 'As 32 bits', width: 'size', show: (row) => row.weights ? bytesText(row.value.bytes_before) : '-'},
    {name: 'Stored', width: 'size', show: (row) => row.weights ? bytesText(row.value.bytes_after) : '-'},
  ];
  if (rows.length === 0) return <p class="empty" id="not-quantised">Nothing in this model is quantised: its weights take {bytesText(graph.weight_bytes)}.</p>;
  return (
    <div class="stack">
      <Card title="Quantised weights"><Facts rows={[
        ['As 32 bits', bytesText(report.bytes_before)],
        ['Stored', `${bytesText(report.bytes_after)}, ${shareText(report.bytes_after, report.bytes_before)}, with scales and zero points`],
        ['All weights of the model', bytesText(graph.weight_bytes)],
        ['Nodes', `${countText(report.nodes.length)} of ${countText(graph.node_count)}`],
      ]} /></Card>
      <LongTable label="Quantised values" id="quantised" what="values" columns={columns} rows={rows} keyOf={(row) => row.key} />
    </div>
  );
}

export const QuantisationTab = ({of, query}: {of: Version; query: URLSearchParams}) => (
  <WithModel of={of} query={query}>{(graph, model) => <Report of={of} graph={graph} model={model} />}</WithModel>
);
