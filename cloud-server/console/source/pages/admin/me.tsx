// One's own account: password, sessions, API tokens.
import {useState} from 'preact/hooks';
import {drop, replace, send, to} from '../../api/calls';
import {ApiError} from '../../api/client';
import {has, present} from '../../api/session';
import {useLoad} from '../../api/load';
import {Button} from '../../parts/button';
import {askFor, Dialog} from '../../parts/dialog';
import {Input, Select} from '../../parts/field';
import {Card, Facts, Loading} from '../../parts/page';
import {Table, type Column} from '../../parts/table';
import {say} from '../../parts/toast';
import {Ago, Badge, Said, Time} from '../../parts/text';
import {Secret} from './secret';
import {TotpCard} from './totp';
import {ROLES} from './users';
import type {components} from '../../api/schema';

type Role = components['schemas']['Role'];

interface Token { id: string; name: string; role: string; packages: string[]; groups: string[]; created_ms: number; expires_ms: number; last_used_ms: number | null; token?: string }
interface SessionRow { id: string; created_ms: number; last_ms: number; expires_ms: number; peer: string; agent: string; own: boolean }
const DAY_MS = 86_400_000;

function NewToken({user, onClose, done}: {user: string; onClose: () => void; done: () => Promise<void>}) {
  const [name, setName] = useState(''), [role, setRole] = useState('viewer'), [days, setDays] = useState('90');
  const [made, setMade] = useState<Token>();
  const [wrong, setWrong] = useState('');
  return (
    <Dialog title="New API token" onClose={onClose}>
      <div class="body">
        <h2>New API token</h2>
        {made ? <><Secret what="Token" text={made.token ?? ''} /><p class="muted">Sent as <code>Authorization: Bearer TOKEN</code>. Ends <Time ms={made.expires_ms} />.</p>
          <div class="buttons"><button type="button" class="button primary" onClick={onClose}>Done</button></div></> : (
          <>
            <Input id="token-name" label="Name" value={name} onInput={setName} placeholder="what uses it" autoFocus wrong={wrong} />
            <Select id="token-role" label="Role" value={role} onInput={setRole} options={ROLES} />
            <Input id="token-days" label="Days that it lasts" value={days} onInput={setDays} inputMode="numeric" />
            <div class="buttons"><button type="button" class="button" onClick={onClose}>Cancel</button>
              <Button id="make-api-token" kind="primary" disabled={!name.trim()} onError={(error: ApiError) => setWrong(error.message)} onPress={async () => {
                setWrong('');
                setMade(await send('/users/{name}/tokens', {path: {name: user}, body: {name: name.trim(), role: role as Role, valid_ms: Math.round(Number(days) * DAY_MS)}}));
                await done();
              }}>Make the token</Button></div>
          </>
        )}
      </div>
    </Dialog>
  );
}

function Tokens({user}: {user: string}) {
  const tokens = useLoad(to('/users/{name}/tokens', {path: {name: user}}));
  const [makes, setMakes] = useState(false);
  const remove = (row: Token) => askFor({title: `Revoke ${row.name}?`, facts: <p>Programs that use it are refused at once.</p>, action: 'Revoke', danger: true,
    work: async () => { await drop('/users/{name}/tokens/{id}', {path: {name: user, id: row.id}}); say('Revoked.'); await tokens.reload(); }});
  const columns: Column<Token>[] = [
    {name: 'Token', narrow: 'title', show: (row) => <Said text={row.name} />},
    {name: 'Role', narrow: 'end', show: (row) => <Badge>{row.role}</Badge>},
    {name: 'Made', narrow: 'hide', show: (row) => <Time ms={row.created_ms} />},
    {name: 'Last used', show: (row) => <Ago ms={row.last_used_ms} />},
    {name: 'Ends', show: (row) => <Time ms={row.expires_ms} />},
    {name: 'Change', narrow: 'foot', show: (row) => <Button small kind="danger" label={`Revoke ${row.name}`} onPress={() => remove(row)}>Revoke...</Button>},
  ];
  return (
    <Card title="API tokens" side={<Button small id="new-api-token" onPress={() => setMakes(true)}>New token</Button>}>
      <Loading of={tokens} missing="This account has no tokens.">{(shown) => <Table label="API tokens" id="tokens" columns={columns} rows={shown.tokens} keyOf={(row) => row.id} empty="No program uses this account." />}</Loading>
      {makes && <NewToken user={user} onClose={() => setMakes(false)} done={tokens.reload} />}
    </Card>
  );
}

function Sessions() {
  const sessions = useLoad(to('/sessions'));
  const end = (row: SessionRow) => askFor({title: 'End this session?', facts: <p>Whoever sits there has to sign in again.</p>, action: 'End it', danger: true,
    work: async () => { await drop('/sessions/{id}', {path: {id: row.id}}); say('Ended.'); await sessions.reload(); }});
  const columns: Column<SessionRow>[] = [
    {name: 'Browser', narrow: 'title', show: (row) => <><Said text={row.agent || 'unknown'} /> {row.own && <Badge tone="now">this one</Badge>}</>},
    {name: 'From', narrow: 'end', show: (row) => <Said text={row.peer} />},
    {name: 'Since', show: (row) => <Time ms={row.created_ms} />},
    {name: 'Last call', show: (row) => <Ago ms={row.last_ms} />},
    {name: 'Ends', show: (row) => <Time ms={row.expires_ms} />},
    {name: 'Change', narrow: 'foot', show: (row) => row.own ? '' : <Button small kind="danger" label="End the session" onPress={() => end(row)}>End...</Button>},
  ];
  return <Card title="Sessions"><Loading of={sessions}>{(shown) => <Table label="Sessions" id="sessions" columns={columns} rows={shown.sessions} keyOf={(row) => row.id} />}</Loading></Card>;
}

function Password({user}: {user: string}) {
  const [old, setOld] = useState(''), [fresh, setFresh] = useState('');
  const [wrong, setWrong] = useState('');
  return (
    <Card title="Password">
      <div class="search">
        <Input id="old-password" label="Present password" type="password" autoComplete="current-password" value={old} onInput={setOld} wrong={wrong} />
        <Input id="new-password" label="New password" type="password" autoComplete="new-password" value={fresh} onInput={setFresh} />
        <Button id="change-password" disabled={!old || !fresh} onError={(error: ApiError) => setWrong(error.message)} onPress={async () => {
          setWrong('');
          await replace('/users/{name}/password', {path: {name: user}, body: {old, password: fresh}});
          say('The password is changed. All sessions of this account end.');
          setOld('');
          setFresh('');
        }}>Change</Button>
      </div>
    </Card>
  );
}

export function MeSection() {
  const me = present();
  if (!me) return null;
  return (
    <div class="stack">
      <Card title="Who you are"><Facts rows={[['User', <Said text={me.user} />], ['Role', me.role], ...(me.oidc ? [['Signs in', 'by OIDC: password, second factor, role and scope are the provider\'s'] as [string, string]] : []), ['Packages', <Said text={me.packages.join(', ') || 'all'} />], ['Groups', <Said text={me.groups.join(', ') || 'all'} />],
        ...(me.expires_ms ? [['Session ends', <Time ms={me.expires_ms} />] as [string, preact.ComponentChildren]] : [])]} /></Card>
      {!me.oidc && <Password user={me.user} />}
      {!me.oidc && has('totp') && <TotpCard user={me.user} />}
      {has('sessions') && <Sessions />}
      <Tokens user={me.user} />
    </div>
  );
}
