// Requests that wait for a second person, and which packages take two.
import {useState} from 'preact/hooks';
import {replace, send, to} from '../../api/calls';
import {ApiError} from '../../api/client';
import {may, present} from '../../api/session';
import {useLoad} from '../../api/load';
import type {Approval} from '../../api/types';
import {Button} from '../../parts/button';
import {askFor} from '../../parts/dialog';
import {Input} from '../../parts/field';
import {Card, Loading} from '../../parts/page';
import {Table, type Column} from '../../parts/table';
import {say} from '../../parts/toast';
import {Badge, Said, Time} from '../../parts/text';

const decide = (row: Approval, verb: 'approve' | 'reject', done: () => Promise<void>) => askFor({
  title: verb === 'approve' ? 'Agree to this request?' : 'Reject this request?',
  facts: <><p><strong><Said text={row.user} /></strong> asked for <code><bdi>{row.method} {row.path}</bdi></code>{row.package && <> of <Said text={row.package} /></>}.</p>
    <pre class="trace"><bdi>{JSON.stringify(row.body, null, 1)}</bdi></pre></>,
  action: verb === 'approve' ? 'Agree' : 'Reject', danger: verb === 'reject', reason: true,
  work: async ({why, key}) => {
    await send(`/approvals/{id}/${verb}`, {path: {id: row.id}, body: why ? {why} : {}, key});
    say(verb === 'approve' ? 'It was carried out.' : 'Rejected.');
    await done();
  },
});

function Policy({packages, done}: {packages: string[]; done: () => Promise<void>}) {
  const [text, setText] = useState(packages.join(', '));
  const [wrong, setWrong] = useState('');
  const wanted = text.split(',').map((item) => item.trim()).filter(Boolean);
  return (
    <Card title="What takes two people">
      <div class="search">
        <Input id="policy" label="Packages, by commas" value={text} onInput={setText} wrong={wrong} hint="* stands for any text; nothing: one person is enough" />
        {may('admin') && <Button id="save-policy" disabled={wanted.join() === packages.join()} onError={(error: ApiError) => setWrong(error.approval ? 'Asked: another person has to agree.' : error.message)}
          onPress={async () => { setWrong(''); await replace('/approval-policy', {body: {packages: wanted}}); say('The policy is kept.'); await done(); }}>Save</Button>}
      </div>
    </Card>
  );
}

export function ApprovalsSection() {
  const list = useLoad(to('/approvals'), (event) => event.kind === 'status' || event.kind === 'release');
  const columns: Column<Approval>[] = [
    {name: 'Request', narrow: 'title', show: (row) => <code><bdi>{row.method} {row.path.replace('/api/v1', '')}</bdi></code>},
    {name: 'State', narrow: 'end', show: (row) => <Badge tone={row.state === 'open' ? 'wait' : row.state === 'rejected' ? 'bad' : ''}>{row.state}</Badge>},
    {name: 'Package', show: (row) => <Said text={row.package} />},
    {name: 'Asked by', show: (row) => <Said text={row.user} />},
    {name: 'Asked', show: (row) => <Time ms={row.asked_ms} />},
    {name: 'Decided', show: (row) => row.decided_by ? <><Said text={row.decided_by} />{row.reason && <>: <Said text={row.reason} /></>}</> : row.state === 'open' ? <>until <Time ms={row.expires_ms} /></> : ''},
    {name: 'Answer', narrow: 'foot', show: (row) => row.state === 'open' && may('approve') && row.user !== present()?.user
      ? <span class="row"><Button small kind="primary" onPress={() => decide(row, 'approve', list.reload)}>Agree...</Button><Button small kind="danger" onPress={() => decide(row, 'reject', list.reload)}>Reject...</Button></span>
      : row.state === 'open' && row.user === present()?.user ? <span class="muted">another person decides</span> : ''},
  ];
  return (
    <Loading of={list}>
      {(shown) => (
        <div class="stack">
          <Table label="Requests" id="approvals" columns={columns} rows={shown.approvals} keyOf={(row) => row.id} empty="Nothing waits for a second person." />
          <Policy key={shown.policy.packages.join()} packages={shown.policy.packages} done={list.reload} />
        </div>
      )}
    </Loading>
  );
}
