// One action for all devices of a search: shown first, done, and taken back.
import {useState} from 'preact/hooks';
import {send} from '../../api/calls';
import {may} from '../../api/session';
import {Button} from '../../parts/button';
import {askFor} from '../../parts/dialog';
import {Input, Select} from '../../parts/field';
import {say} from '../../parts/toast';
import {devicesText, shareText, shortId} from '../../parts/text';
import {status} from '../../live/client';

type Act = 'tag' | 'untag' | 'block' | 'unblock' | 'poll';
const ACTIONS: [Act, string][] = [['tag', 'Give a tag'], ['untag', 'Take a tag'], ['block', 'Block'], ['unblock', 'Unblock'], ['poll', 'Ask to look now']];

export function Bulk({filter, total, done}: {filter: string; total: number | undefined; done: () => void}) {
  const [action, setAction] = useState<Act>('tag');
  const [tag, setTag] = useState('');
  const [undo, setUndo] = useState<string | null>(null);
  if (!may('release') || !total) return null;
  const needsTag = action === 'tag' || action === 'untag';
  const body = () => ({filter: filter || 'all', action, ...(needsTag ? {tag: tag.trim()} : {})});
  const ask = async () => {
    const seen = await send('/devices/bulk', {body: {...body(), dry_run: true}});
    const fleet = status.get()?.devices ?? seen.matched;
    const name = ACTIONS.find(([key]) => key === action)?.[1] ?? action;
    askFor({
      title: `${name}${needsTag ? ` "${tag.trim()}"` : ''}: ${devicesText(seen.matched)}?`,
      facts: (
        <>
          <p><strong>{devicesText(seen.matched)}</strong> match ({shareText(seen.matched, fleet)} of the fleet); {devicesText(seen.changed)} would change.</p>
          <ul class="ids">{seen.devices.map((id) => <li key={id} class="mono" title={id}>{shortId(id)}</li>)}</ul>
        </>
      ),
      action: name, danger: action === 'block',
      work: async ({key}) => {
        const made = await send('/devices/bulk', {body: body(), key});
        setUndo(made.undo ?? null);
        say(`${devicesText(made.changed)} changed.`);
        done();
      },
    });
  };
  return (
    <details class="card bulk" id="bulk">
      <summary>Act on the {devicesText(total)} of this search</summary>
      <div class="search">
        <Select label="Action" value={action} onInput={(value) => setAction(value as Act)} options={ACTIONS} />
        {needsTag && <Input label="Tag" value={tag} onInput={setTag} />}
        <Button id="bulk-preview" onPress={ask} disabled={needsTag && tag.trim() === ''}>Preview...</Button>
        {undo && <Button id="bulk-undo" onPress={async () => { await send('/devices/bulk/{undo}/undo', {path: {undo}}); setUndo(null); say('Taken back.'); done(); }}>Undo the last</Button>}
      </div>
    </details>
  );
}
