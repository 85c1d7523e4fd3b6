// Language models: what the server verifies with, and the sessions of devices that draft.
import {useEffect} from 'preact/hooks';
import {to} from '../api/calls';
import {useLoad} from '../api/load';
import {onLive} from '../live/client';
import {Card, Loading, PageHead} from '../parts/page';
import {LongTable, Table, type Column} from '../parts/table';
import {Badge, Id, Said, bytesText, countText} from '../parts/text';
import {linkTo} from '../route';

interface Target {
  name: string; version: string; digest: string; weights: string; parameters: number; sessions: number; passes: number; tokens: number;
  largest_batch: number; kv_used_bytes: number; kv_limit_bytes: number;
}
interface SplitSession {
  device: string; session?: unknown; target: string; draft: string; mode: string; connected: boolean; emitted: number; acceptance: number | null;
  tokens_per_s: number; round_trip_ms: number | null; bytes_up: number; bytes_down: number;
}

const digits = (value: number | null | undefined, places: number): string => value === null || value === undefined || value < 0 ? '-' : value.toFixed(places);

const TARGETS: Column<Target>[] = [
  {name: 'Target', narrow: 'title', show: (row) => <a href={linkTo(['packages', row.name, row.version])}><bdi>{row.name} {row.version}</bdi></a>},
  {name: 'Sessions', number: true, narrow: 'end', show: (row) => countText(row.sessions)},
  {name: 'Model', show: (row) => `${(row.parameters / 1e6).toFixed(1)} M, ${row.weights}`},
  {name: 'Digest', narrow: 'hide', show: (row) => <Id id={row.digest} what="digest" />},
  {name: 'Passes', number: true, show: (row) => countText(row.passes)},
  {name: 'Tokens a pass', number: true, show: (row) => row.passes ? digits(row.tokens / row.passes, 1) : '-'},
  {name: 'Largest batch', number: true, narrow: 'hide', show: (row) => String(row.largest_batch)},
  {name: 'KV memory', number: true, show: (row) => `${bytesText(row.kv_used_bytes)} of ${bytesText(row.kv_limit_bytes)}`},
];

const SESSIONS: Column<SplitSession>[] = [
  {name: 'Device', width: 'id', narrow: 'title', show: (row) => <Id id={row.device} href={linkTo(['fleet', row.device])} copy={false} />},
  {name: 'Mode', width: 'state', narrow: 'end', show: (row) => <Badge tone={row.connected ? 'good' : ''}>{row.connected ? row.mode : `${row.mode}, away`}</Badge>},
  {name: 'Target', width: 'version', narrow: 'hide', show: (row) => <Said text={row.target} />},
  {name: 'Draft', width: 'version', narrow: 'hide', show: (row) => <Said text={row.draft || '-'} />},
  {name: 'Tokens', width: 'number', number: true, show: (row) => countText(row.emitted)},
  {name: 'Accepted', width: 'number', number: true, show: (row) => digits(row.acceptance, 2)},
  {name: 'Tokens/s', width: 'number', number: true, show: (row) => digits(row.tokens_per_s, 1)},
  {name: 'Round trip', width: 'size', number: true, show: (row) => row.round_trip_ms === null ? '-' : `${digits(row.round_trip_ms, 1)} ms`},
  {name: 'Up / down', width: 'time', number: true, show: (row) => `${bytesText(row.bytes_up)} / ${bytesText(row.bytes_down)}`},
];

export function ModelsPage() {
  const targets = useLoad(to('/verify/targets'));
  const sessions = useLoad(to('/verify/sessions'));
  const changeTargets = targets.change, changeSessions = sessions.change;
  useEffect(() => onLive((event) => {
    if (event.kind !== 'verify') return;
    changeTargets((old) => ({...old, ...event.value}));
    changeSessions((old) => ({...old, ...event.value}));
  }), [changeTargets, changeSessions]);
  return (
    <>
      <PageHead title="Language models" under="Devices draft with a small model; the server verifies with a large one." />
      <Loading of={targets}>
        {(shown) => !shown.enabled ? <p class="empty" id="models">This server verifies no language model: ferry-server run --verify PACKAGE.</p> : (
          <div class="stack" id="models">
            <Card title="Targets"><Table label="Targets" columns={TARGETS} rows={shown.targets} keyOf={(row) => `${row.name} ${row.version}`} empty="The target is not published yet." /></Card>
            <Card title="Sessions"><LongTable label="Sessions" what="sessions" columns={SESSIONS} rows={sessions.value?.sessions ?? []} keyOf={(row) => `${row.device}/${String(row.session ?? '')}`} empty="No session." /></Card>
          </div>
        )}
      </Loading>
    </>
  );
}
