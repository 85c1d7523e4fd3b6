// Streams: what devices send up, how much of it is kept, and how right it is.
import {to} from '../../api/calls';
import {useLoad, useRows} from '../../api/load';
import {has} from '../../api/session';
import {Button} from '../../parts/button';
import {Card, Loading, PageHead, Problem} from '../../parts/page';
import {LongTable, Table, type Column} from '../../parts/table';
import {Id, Said, Time, bytesText, countText} from '../../parts/text';
import {linkTo} from '../../route';
import type {PageProps} from '../list';
import {AccuracyCard} from './accuracy';
import {UseCharts} from './use';

interface StreamRow { stream: string; rows: number; bytes: number; devices: number }
interface RecordRow { device: string; outbox: string; seq: number; time_ms: number; received_ms: number; data: unknown }
interface Loss { device: string; outbox: string; first_seq: number; last_seq: number; records: number; noted_ms: number }
interface Refusal { device: string; stream: string; seq: number; error_name: string | null; reason: string; received_ms: number }

const STREAMS: Column<StreamRow>[] = [
  {name: 'Stream', narrow: 'title', show: (row) => <a href={linkTo(['streams', row.stream])}><bdi>{row.stream}</bdi></a>},
  {name: 'Devices', number: true, show: (row) => countText(row.devices)},
  {name: 'Records', number: true, narrow: 'end', show: (row) => countText(row.rows)},
  {name: 'Kept', number: true, show: (row) => bytesText(row.bytes)},
  {name: 'Bytes a record', number: true, narrow: 'hide', show: (row) => row.rows ? bytesText(Math.round(row.bytes / row.rows)) : '-'},
];

const RECORDS: Column<RecordRow>[] = [
  {name: 'Device', width: 'id', narrow: 'title', show: (row) => <Id id={row.device} href={linkTo(['fleet', row.device])} copy={false} />},
  {name: 'Time', width: 'time', narrow: 'end', show: (row) => <Time ms={row.time_ms} />},
  {name: 'No.', width: 'number', number: true, narrow: 'hide', show: (row) => String(row.seq)},
  {name: 'Record', show: (row) => <code title={JSON.stringify(row.data)}><bdi>{JSON.stringify(row.data)}</bdi></code>},
];

const LOSSES: Column<Loss>[] = [
  {name: 'Device', narrow: 'title', show: (row) => <Id id={row.device} href={linkTo(['fleet', row.device])} copy={false} />},
  {name: 'Records', number: true, narrow: 'end', show: (row) => countText(row.records)},
  {name: 'Numbers', show: (row) => `${row.first_seq} to ${row.last_seq}`},
  {name: 'Noted', show: (row) => <Time ms={row.noted_ms} />},
];

const REFUSALS: Column<Refusal>[] = [
  {name: 'Device', narrow: 'title', show: (row) => <Id id={row.device} href={linkTo(['fleet', row.device])} copy={false} />},
  {name: 'Stream', narrow: 'end', show: (row) => <Said text={row.stream} />},
  {name: 'Why', show: (row) => <><span class="bad">{row.error_name ?? 'an error of another version'}</span>: <Said text={row.reason} /></>},
  {name: 'Received', show: (row) => <Time ms={row.received_ms} />},
];

function StreamPage({stream, query}: {stream: string; query: URLSearchParams}) {
  const list = useRows<RecordRow>(to('/streams/{stream}', {path: {stream}}), 'rows');
  return (
    <>
      <PageHead title={`Stream ${stream}`} shown={<bdi>{stream}</bdi>} crumbs={[['Streams', '#/streams']]} actions={<Button onPress={list.reload}>Read anew</Button>} />
      <div class="stack">
        <AccuracyCard stream={stream} query={query} />
        {list.error && <Problem error={list.error} stale={list.rows !== undefined} />}
        {list.rows && <LongTable label="Records" what="records" columns={RECORDS} rows={list.rows} keyOf={(row) => `${row.device}/${row.outbox}/${row.seq}`} more={list.more} readMore={list.readMore}
          empty="No record has come." />}
      </div>
    </>
  );
}

export function StreamsPage({path, query}: PageProps) {
  return path[0] ? <StreamPage stream={path[0]} query={query} /> : <StreamList query={query} />;
}

function StreamList({query}: {query: URLSearchParams}) {
  const status = useLoad(to('/status'), (event) => event.kind === 'status');
  const losses = useLoad(to('/losses', {query: {limit: 50}}));
  const refusals = useLoad(to('/refusals', {query: {limit: 50}}));
  return (
    <>
      <PageHead title="Streams" under="What devices send up: the largest streams first." />
      <Loading of={status}>
        {(shown) => (
          <div class="stack">
            <Table label="Streams" id="streams" columns={STREAMS} rows={[...(shown.streams ?? [])].sort((a, b) => b.bytes - a.bytes)} keyOf={(row) => row.stream} linkOf={(row) => linkTo(['streams', row.stream])}
              empty="No device has sent a record yet." />
            {has('fleet_use') && <UseCharts query={query} />}
            <div class="two">
              <Card title="Lost" side={<span class="muted">{countText(shown.records.lost)} records in all</span>}>
                <Table label="Lost records" columns={LOSSES} rows={losses.value?.losses ?? []} keyOf={(row) => `${row.device}/${row.first_seq}/${row.noted_ms}`} empty="No record was lost." /></Card>
              <Card title="Refused" side={<span class="muted">{countText(shown.records.refused)} records in all</span>}>
                <Table label="Refused records" columns={REFUSALS} rows={refusals.value?.refusals ?? []} keyOf={(row) => `${row.device}/${row.seq}/${row.received_ms}`} empty="No record was refused." /></Card>
            </div>
          </div>
        )}
      </Loading>
    </>
  );
}
