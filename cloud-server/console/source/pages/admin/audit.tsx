// The audit log: searched, checked, taken along.
import {useState} from 'preact/hooks';
import {read, to} from '../../api/calls';
import {ApiError} from '../../api/client';
import {useRows} from '../../api/load';
import {Button} from '../../parts/button';
import {Input} from '../../parts/field';
import {Problem} from '../../parts/page';
import {LongTable, type Column} from '../../parts/table';
import {Copy, Time, countText} from '../../parts/text';
import {setQuery} from '../../route';
import type {PageProps} from '../list';

interface AuditRow {
  seq: number; time_ms: number; user: string; source: string; action: string; target: string; package: string; outcome: string; reason: string; hash: string; prev_hash: string;
}
interface Check { ok: boolean; rows: number; first_seq: number; head: {seq: number; hash: string}; broken?: {seq: number; why: string} }

const COLUMNS: Column<AuditRow>[] = [
  {name: 'No.', width: 'number', number: true, narrow: 'hide', show: (row) => String(row.seq)},
  {name: 'Time', width: 'time', show: (row) => <Time ms={row.time_ms} />},
  {name: 'Who', width: 'version', narrow: 'end', show: (row) => <bdi title={row.source}>{row.user || '-'}</bdi>},
  {name: 'Did', width: 'wide', narrow: 'title', show: (row) => <bdi title={row.action}>{row.action}</bdi>},
  {name: 'To', show: (row) => <bdi title={row.target}>{row.target}</bdi>},
  {name: 'Outcome', width: 'state', show: (row) => <span class={row.outcome === 'ok' || row.outcome === 'done' ? '' : 'bad'}>{row.outcome}</span>},
  {name: 'Reason', show: (row) => <bdi title={row.reason}>{row.reason}</bdi>},
];

// The rows of the search as lines of JSON, with the hashes that chain them.
async function exportRows(query: Record<string, string | number | undefined>): Promise<void> {
  const lines: string[] = [];
  let after: number | null = 0;
  while (after !== null) {
    const page: {rows: AuditRow[]; next: number | null} = await read('/audit', {query: {...query, limit: 1000, after: after || undefined}});
    for (const row of page.rows) lines.push(JSON.stringify(row));
    after = page.rows.length > 0 ? page.next : null;
  }
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([`${lines.join('\n')}\n`], {type: 'application/x-ndjson'}));
  link.download = 'audit.jsonl';
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function Verified({check}: {check: Check}) {
  if (check.broken) return <div class="note" data-tone="bad" id="audit-check" role="alert">The chain is broken at row {check.broken.seq}: {check.broken.why}</div>;
  return (
    <div class="note" data-tone="good" id="audit-check">
      <p>The chain is whole: {countText(check.rows)} rows from {check.first_seq} on. Its head is <code class="wrap">{check.head.seq}:{check.head.hash}</code><Copy text={`${check.head.seq}:${check.head.hash}`} what="head" /></p>
      <p class="muted">Keep the head elsewhere: whoever can write the database could make a whole new chain, but none with this head.</p>
    </div>
  );
}

export function AuditSection({query}: PageProps) {
  const user = query.get('user') ?? '', name = query.get('package') ?? '', since = query.get('since') ?? '';
  const [head, setHead] = useState('');
  const [check, setCheck] = useState<Check>();
  const [wrong, setWrong] = useState('');
  const since_ms = since ? Date.parse(`${since}T00:00:00Z`) || undefined : undefined;
  const filter = {user, package: name, since_ms};
  const list = useRows<AuditRow>(to('/audit', {query: {...filter, sort: '-seq'}}), 'rows', (event) => event.kind === 'release');
  const verify = async () => {
    setWrong('');
    const kept = /^(\d+):([0-9a-f]+)$/.exec(head.trim());
    if (head.trim() && !kept) { setWrong('A head is written NUMBER:HASH, as the check prints it.'); return; }
    setCheck(await read('/audit/verify', {query: kept ? {seq: Number(kept[1]), hash: kept[2]} : {}}));
  };
  return (
    <div class="stack">
      <div class="filters">
        <Input id="audit-user" label="Who" value={user} onInput={(value) => setQuery({user: value})} />
        <Input id="audit-package" label="Package" value={name} onInput={(value) => setQuery({package: value})} />
        <Input id="audit-since" label="Since (UTC)" type="date" value={since} onInput={(value) => setQuery({since: value})} />
        <Button id="audit-export" onPress={() => exportRows(filter)}>Export</Button>
      </div>
      <div class="filters">
        <Input id="audit-head" label="A head that was kept (optional)" value={head} onInput={setHead} wrong={wrong} placeholder="NUMBER:HASH" />
        <Button id="audit-verify" onPress={verify} onError={(error: ApiError) => setWrong(error.message)}>Verify the chain</Button>
      </div>
      {check && <Verified check={check} />}
      {list.error && <Problem error={list.error} stale={list.rows !== undefined} />}
      {list.rows && <LongTable label="Audit log" id="audit" what="rows" columns={COLUMNS} rows={list.rows} keyOf={(row) => String(row.seq)} more={list.more} readMore={list.readMore}
        empty="No row fits the search." />}
    </div>
  );
}
