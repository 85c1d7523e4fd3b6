// Users: who may do what, within which packages and groups.
import {useState} from 'preact/hooks';
import {drop, readTagged, replace, send, to, type Body, type Link} from '../../api/calls';
import type {ApiError} from '../../api/client';
import {present} from '../../api/session';
import {useLoad} from '../../api/load';
import {Button} from '../../parts/button';
import {askFor, Dialog} from '../../parts/dialog';
import {Check, Input, Select} from '../../parts/field';
import {Loading} from '../../parts/page';
import {Table, type Column} from '../../parts/table';
import {say} from '../../parts/toast';
import {Badge, Said, Time} from '../../parts/text';
import {Secret} from './secret';

interface User { name: string; role: string; packages: string[]; groups: string[]; disabled: boolean; oidc?: boolean; created_ms: number; password?: string }

export const ROLES: [string, string][] = [['viewer', 'viewer: looks'], ['developer', 'developer: looks, and reads scripts'], ['releaser', 'releaser: publishes and releases'], ['approver', 'approver: agrees and stops'], ['admin', 'admin: everything']];
const list = (text: string): string[] => text.split(',').map((item) => item.trim()).filter(Boolean);

// One form for a new user and for an old one; a change is made against what was read.
function UserDialog({user, onClose, done}: {user: User | null; onClose: () => void; done: () => Promise<void>}) {
  const [name, setName] = useState(user?.name ?? '');
  const [role, setRole] = useState(user?.role ?? 'viewer');
  const [packages, setPackages] = useState(user?.packages.join(', ') ?? '');
  const [groups, setGroups] = useState(user?.groups.join(', ') ?? '');
  const [disabled, setDisabled] = useState(user?.disabled ?? false);
  const [etag, setEtag] = useState<string | null>(null);
  const [error, setError] = useState<ApiError>();
  const [made, setMade] = useState<User>();
  useState(() => { if (user) void readTagged('/users/{name}', {path: {name: user.name}}).then((answer) => setEtag(answer.etag), () => undefined); });
  const save = async () => {
    setError(undefined);
    const rights = {role: role as Body<'/users', 'post'>['role'], packages: list(packages).length ? list(packages) : ['*'], groups: list(groups)};
    if (user) {
      await replace('/users/{name}', {path: {name: user.name}, body: {...rights, disabled}, ...(etag ? {match: etag} : {})});
      say('The user is kept.');
      onClose();
    } else setMade(await send('/users', {body: {name: name.trim(), ...rights}}) as User);
    await done();
  };
  const theirs = error?.status === 412 ? error.current as User | undefined : undefined;
  if (made?.password) {
    return <Dialog title="The user is made" onClose={onClose}><div class="body"><h2>{made.name} may sign in</h2><Secret what="Password" text={made.password} />
      <div class="buttons"><button type="button" class="button primary" onClick={onClose}>Done</button></div></div></Dialog>;
  }
  return (
    <Dialog title={user ? `User ${user.name}` : 'New user'} onClose={onClose}>
      <div class="body">
        <h2>{user ? <>User <Said text={user.name} /></> : 'New user'}</h2>
        {!user && <Input id="new-name" label="Name" value={name} onInput={setName} autoFocus />}
        {user?.oidc ? <p class="muted">Signs in by OIDC: role, packages and groups come from the provider at each sign-in.</p> : (
          <>
            <Select id="new-role" label="Role" value={role} onInput={setRole} options={ROLES} />
            <Input id="new-packages" label="Packages, by commas" value={packages} onInput={setPackages} placeholder="all" hint="* stands for any text" />
            <Input id="new-groups" label="Groups of devices, by commas" value={groups} onInput={setGroups} placeholder="all" />
          </>
        )}
        {user && <Check label="Disabled" hint="ends the user's sessions and tokens" checked={disabled} onInput={setDisabled} />}
        {error && (
          <div class="note" data-tone={error.status === 412 ? 'wait' : 'bad'} role="alert">
            {error.status === 412 ? <>Somebody changed this user meanwhile{theirs ? <>: now {theirs.role}, packages {theirs.packages.join(', ') || 'all'}, groups {theirs.groups.join(', ') || 'all'}</> : ''}. Saving again replaces that.</> : error.message}
          </div>
        )}
        <div class="buttons">
          <button type="button" class="button" onClick={onClose}>Cancel</button>
          <Button id="save-user" kind="primary" disabled={!name.trim()} onPress={save} onError={async (failed) => {
            setError(failed);
            if (failed.status === 412 && user) setEtag((await readTagged('/users/{name}', {path: {name: user.name}})).etag);
          }}>{user ? 'Save' : 'Make the user'}</Button>
        </div>
      </div>
    </Dialog>
  );
}

export function UsersSection() {
  const users = useLoad<{users: User[]}>(to('/users') as Link<{users: User[]}>);
  const [edited, setEdited] = useState<User | 'new' | null>(null);
  const [fresh, setFresh] = useState<{name: string; password: string}>();
  const remove = (user: User) => askFor({title: `Delete ${user.name}?`, facts: <p>The user's sessions and tokens end at once. What the user did stays in the audit log.</p>, action: 'Delete', danger: true,
    work: async () => { await drop('/users/{name}', {path: {name: user.name}}); say('Deleted.'); await users.reload(); }});
  const renew = (user: User) => askFor({title: `New password for ${user.name}?`, facts: <p>The server makes one, which is shown once. The user's sessions and tokens end at once.</p>, action: 'Make a password',
    work: async () => { const made = await replace('/users/{name}/password', {path: {name: user.name}, body: {}}); setFresh({name: user.name, password: made.password ?? ''}); }});
  const columns: Column<User>[] = [
    {name: 'User', narrow: 'title', show: (row) => <><Said text={row.name} /> {row.oidc && <Badge>OIDC</Badge>} {row.disabled && <Badge tone="bad">disabled</Badge>}</>},
    {name: 'Role', narrow: 'end', show: (row) => <Badge>{row.role}</Badge>},
    {name: 'Packages', show: (row) => <Said text={row.packages.join(', ') || 'all'} />},
    {name: 'Groups', show: (row) => <Said text={row.groups.join(', ') || 'all'} />},
    {name: 'Made', show: (row) => <Time ms={row.created_ms} />},
    {name: 'Change', narrow: 'foot', show: (row) => <span class="row"><Button small onPress={() => setEdited(row)} label={`Edit ${row.name}`}>Edit...</Button>
      {row.name !== present()?.user && <>{!row.oidc && <Button small onPress={() => renew(row)} label={`New password for ${row.name}`}>Password...</Button>}<Button small kind="danger" onPress={() => remove(row)} label={`Delete ${row.name}`}>Delete...</Button></>}</span>},
  ];
  return (
    <div class="stack">
      <div class="row"><Button id="new-user" kind="primary" onPress={() => setEdited('new')}>New user</Button></div>
      <Loading of={users}>{(shown) => <Table label="Users" id="users" columns={columns} rows={shown.users} keyOf={(row) => row.name} empty="There is no user but admin." />}</Loading>
      {edited && <UserDialog user={edited === 'new' ? null : edited} onClose={() => setEdited(null)} done={users.reload} />}
      {fresh && <Dialog title="New password" onClose={() => setFresh(undefined)}><div class="body"><h2>New password of {fresh.name}</h2><Secret what="Password" text={fresh.password} />
        <div class="buttons"><button type="button" class="button primary" onClick={() => setFresh(undefined)}>Done</button></div></div></Dialog>}
    </div>
  );
}
