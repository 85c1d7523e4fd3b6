// Whom the server tells what happened, and what became of it.
import {useState} from 'preact/hooks';
import {drop, send, to} from '../../api/calls';
import {ApiError, newKey} from '../../api/client';
import {useLoad} from '../../api/load';
import {Button} from '../../parts/button';
import {askFor, Dialog} from '../../parts/dialog';
import {Input} from '../../parts/field';
import {Card, Loading} from '../../parts/page';
import {Table, type Column} from '../../parts/table';
import {say} from '../../parts/toast';
import {Badge, Said, Time, countText} from '../../parts/text';
import {linkTo} from '../../route';
import type {PageProps} from '../list';
import {Secret} from './secret';

interface Webhook { id: string; url: string; events: string[]; user: string; created_ms: number; tries: number; next_ms: number | null; error: string; waiting?: number }
interface Delivery { event: number; kind: string; dead: boolean; tries: number; status: number; error: string; time_ms: number }

const DELIVERIES: Column<Delivery>[] = [
  {name: 'Event', narrow: 'title', show: (row) => <Said text={row.kind} />},
  {name: 'State', narrow: 'end', show: (row) => <Badge tone={row.dead ? 'bad' : row.error ? 'wait' : 'good'}>{row.dead ? 'given up' : row.error ? 'failed' : 'delivered'}</Badge>},
  {name: 'Tries', number: true, show: (row) => String(row.tries)},
  {name: 'Status', number: true, show: (row) => row.status ? String(row.status) : '-'},
  {name: 'Time', show: (row) => <Time ms={row.time_ms} />},
  {name: 'Error', show: (row) => <Said text={row.error} />},
];

function Deliveries({id}: {id: string}) {
  const list = useLoad(to('/webhooks/{id}/deliveries', {path: {id}}), (event) => event.kind === 'release');
  const replay = () => askFor({title: 'Send the events of the last day again?', facts: <p>The receiver gets each event of the last 24 hours once more, with its number.</p>, action: 'Send again',
    work: async ({key}) => { const done = await send('/webhooks/{id}/replay', {path: {id}, body: {since_ms: Date.now() - 86_400_000}, key}); say(`${countText(done.events)} events are sent again.`); await list.reload(); }});
  return (
    <Card title={`Deliveries of ${id}`} side={<Button small onPress={replay}>Send the last day again...</Button>}>
      <Loading of={list} missing="There is no such webhook.">{(shown) => <Table label="Deliveries" columns={DELIVERIES} rows={shown.deliveries} keyOf={(row) => `${row.event}/${row.time_ms}`} empty="Nothing was sent yet." />}</Loading>
    </Card>
  );
}

function NewWebhook({onClose, done}: {onClose: () => void; done: () => Promise<void>}) {
  const [url, setUrl] = useState(''), [events, setEvents] = useState('release.*'), [secret] = useState(newKey);
  const [wrong, setWrong] = useState<ApiError>();
  return (
    <Dialog title="New webhook" onClose={onClose}>
      <div class="body">
        <h2>New webhook</h2>
        <Input id="hook-url" label="Address" value={url} onInput={setUrl} placeholder="https://" wrong={wrong?.message} autoFocus />
        <Input id="hook-events" label="Events, by commas" value={events} onInput={setEvents} hint="release.*, package.published, user.* ..." />
        <Secret what="Secret that signs, for the receiver" text={secret} />
        <div class="buttons"><button type="button" class="button" onClick={onClose}>Cancel</button>
          <Button id="make-hook" kind="primary" onError={setWrong} onPress={async () => {
            setWrong(undefined);
            await send('/webhooks', {body: {url: url.trim(), secret, events: events.split(',').map((item) => item.trim()).filter(Boolean)}});
            say('The webhook is made.');
            onClose();
            await done();
          }}>Make the webhook</Button></div>
      </div>
    </Dialog>
  );
}

export function WebhooksSection({path}: PageProps) {
  const hooks = useLoad(to('/webhooks'), (event) => event.kind === 'release');
  const [makes, setMakes] = useState(false);
  const remove = (row: Webhook) => askFor({title: 'Delete this webhook?', facts: <p><Said text={row.url} /> hears nothing more.</p>, action: 'Delete', danger: true,
    work: async () => { await drop('/webhooks/{id}', {path: {id: row.id}}); say('Deleted.'); await hooks.reload(); }});
  const columns: Column<Webhook>[] = [
    {name: 'Address', narrow: 'title', show: (row) => <a href={linkTo(['admin', 'webhooks', row.id])}><bdi>{row.url}</bdi></a>},
    {name: 'State', narrow: 'end', show: (row) => <Badge tone={row.error ? 'bad' : 'good'}>{row.error ? `failing, try ${row.tries}` : 'well'}</Badge>},
    {name: 'Events', show: (row) => <Said text={row.events.join(', ')} />},
    {name: 'Waiting', number: true, show: (row) => countText(row.waiting ?? 0)},
    {name: 'Last error', show: (row) => <Said text={row.error} />},
    {name: 'Made', narrow: 'hide', show: (row) => <Time ms={row.created_ms} />},
    {name: 'Change', narrow: 'foot', show: (row) => <Button small kind="danger" label={`Delete ${row.url}`} onPress={() => remove(row)}>Delete...</Button>},
  ];
  return (
    <div class="stack">
      <div class="row"><Button id="new-webhook" kind="primary" onPress={() => setMakes(true)}>New webhook</Button></div>
      <Loading of={hooks}>{(shown) => <Table label="Webhooks" id="webhooks" columns={columns} rows={shown.webhooks} keyOf={(row) => row.id} empty="Nobody is told." />}</Loading>
      {path[0] && <Deliveries id={path[0]} />}
      {makes && <NewWebhook onClose={() => setMakes(false)} done={hooks.reload} />}
    </div>
  );
}
