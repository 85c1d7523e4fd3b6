// Tokens that let devices join, as text and as a code for a camera.
import {useState} from 'preact/hooks';
import {send, to} from '../../api/calls';
import {ApiError} from '../../api/client';
import {may} from '../../api/session';
import {useLoad} from '../../api/load';
import {Button} from '../../parts/button';
import {Dialog} from '../../parts/dialog';
import {Input} from '../../parts/field';
import {Loading} from '../../parts/page';
import {QrCode} from '../../parts/qr';
import {Table, type Column} from '../../parts/table';
import {Badge, Said, Time} from '../../parts/text';
import {Secret} from './secret';

interface JoinToken { id: string; created_ms: number; expires_ms: number; tags?: string[]; uses: number; uses_left: number }
interface Made { id: string; token: string; tags: string[]; expires_ms: number }

const HOUR_MS = 3_600_000;

function NewToken({onClose, done}: {onClose: () => void; done: () => Promise<void>}) {
  const [uses, setUses] = useState('1'), [hours, setHours] = useState('24'), [tags, setTags] = useState('');
  const [made, setMade] = useState<Made>();
  const [wrong, setWrong] = useState('');
  const make = async () => {
    setWrong('');
    const wanted = tags.split(',').map((tag) => tag.trim()).filter(Boolean);
    setMade(await send('/join-tokens', {body: {uses: Number(uses), valid_ms: Math.round(Number(hours) * HOUR_MS), ...(wanted.length ? {tags: wanted} : {})}}));
    await done();
  };
  return (
    <Dialog title="Let devices join" onClose={onClose}>
      <div class="body">
        <h2>Let devices join</h2>
        {made ? (
          <>
            <Secret what="Join token" text={made.token} />
            <QrCode text={made.token} label="The join token as a QR code" />
            <p class="muted">Ends <Time ms={made.expires_ms} />. Give it to: <code>ferry-device run --join TOKEN</code></p>
            <div class="buttons"><button type="button" class="button primary" onClick={onClose}>Done</button></div>
          </>
        ) : (
          <>
            <Input id="join-uses" label="Devices that may use it" value={uses} onInput={setUses} inputMode="numeric" />
            <Input id="join-hours" label="Hours that it lasts" value={hours} onInput={setHours} inputMode="decimal" />
            <Input id="join-tags" label="Tags that they get, by commas" value={tags} onInput={setTags} wrong={wrong} />
            <div class="buttons"><button type="button" class="button" onClick={onClose}>Cancel</button>
              <Button id="make-token" kind="primary" onPress={make} onError={(error: ApiError) => setWrong(error.message)}>Make the token</Button></div>
          </>
        )}
      </div>
    </Dialog>
  );
}

const COLUMNS: Column<JoinToken>[] = [
  {name: 'Token', narrow: 'title', show: (row) => <code>{row.id}</code>},
  {name: 'State', narrow: 'end', show: (row) => row.expires_ms <= Date.now() ? <Badge>ended</Badge> : row.uses_left <= 0 ? <Badge>used up</Badge> : <Badge tone="good">open</Badge>},
  {name: 'Used', number: true, show: (row) => String(row.uses)},
  {name: 'Left', number: true, show: (row) => String(row.uses_left)},
  {name: 'Tags', show: (row) => <Said text={(row.tags ?? []).join(', ')} />},
  {name: 'Made', narrow: 'hide', show: (row) => <Time ms={row.created_ms} />},
  {name: 'Ends', show: (row) => <Time ms={row.expires_ms} />},
];

export function JoinTokensSection() {
  const [makes, setMakes] = useState(false);
  const tokens = useLoad(to('/join-tokens'), (event) => event.kind === 'status');
  return (
    <div class="stack">
      {may('release') && <div class="row"><Button id="new-join-token" kind="primary" onPress={() => setMakes(true)}>New join token</Button></div>}
      <Loading of={tokens}>{(shown) => <Table label="Join tokens" id="join-tokens" columns={COLUMNS} rows={[...shown.join_tokens].sort((a, b) => b.created_ms - a.created_ms)} keyOf={(row) => row.id} empty="No token was made yet." />}</Loading>
      {makes && <NewToken onClose={() => setMakes(false)} done={tokens.reload} />}
    </div>
  );
}
