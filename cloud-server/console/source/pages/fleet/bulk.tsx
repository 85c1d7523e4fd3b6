// One action for all devices of a search: shown first, done, and taken back.
import {useState} from 'preact/hooks';
import {post} from '../../api/client';
import {may} from '../../api/session';
import {Button} from '../../parts/button';
import {askFor} from '../../parts/dialog';
import {Input, Select} from '../../parts/field';
import {say} from '../../parts/toast';
import {devicesText, shareText, shortId} from '../../parts/text';
import {status} from '../../live/client';

interface BulkAnswer { matched: number; changed: number; devices: (string | {id: string})[]; undo?: string | null }

const ACTIONS: [string, string][] = [['tag', 'Give a tag'], ['untag', 'Take a tag'], ['block', 'Block'], ['unblock', 'Unblock'], ['poll', 'Ask to look now']];

export function Bulk({filter, total, done}: {filter: string; total: number | undefined; done: () => void}) {
  const [action, setAction] = useState('tag');
  const [tag, setTag] = useState('');
  const [undo, setUndo] = useState<string | null>(null);
  if (!may('release') || !total) return null;
  const needsTag = action === 'tag' || action === 'untag';
  const body = () => ({filter: filter || 'all', action, ...(needsTag ? {tag: tag.trim()} : {})});
  const ask = async () => {
    const seen = await post<BulkAnswer>('/devices/bulk', {...body(), dry_run: true});
    const fleet = status.get()?.devices ?? seen.matched;
    const name = ACTIONS.find(([key]) => key === action)?.[1] ?? action;
    askFor({
      title: `${name}${needsTag ? ` "${tag.trim()}"` : ''}: ${devicesText(seen.matched)}?`,
      facts: (
        <>
          <p><strong>{devicesText(seen.matched)}</strong> match ({shareText(seen.matched, fleet)} of the fleet); {devicesText(seen.changed)} would change.</p>
          <ul class="ids">{seen.devices.map((row) => { const id = typeof row === 'string' ? row : row.id; return <li key={id} class="mono" title={id}>{shortId(id)}</li>; })}</ul>
        </>
      ),
      action: name, danger: action === 'block',
      work: async ({key}) => {
        const made = await post<BulkAnswer>('/devices/bulk', body(), {key});
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
        <Select label="Action" value={action} onInput={setAction} options={ACTIONS} />
        {needsTag && <Input label="Tag" value={tag} onInput={setTag} />}
        <Button id="bulk-preview" onPress={ask} disabled={needsTag && tag.trim() === ''}>Preview...</Button>
        {undo && <Button id="bulk-undo" onPress={async () => { await post(`/devices/bulk/${encodeURIComponent(undo)}/undo`); setUndo(null); say('Taken back.'); done(); }}>Undo the last</Button>}
      </div>
    </details>
  );
}
