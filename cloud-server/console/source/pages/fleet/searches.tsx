// Searches that a user keeps.
import {useState} from 'preact/hooks';
import {drop, replace, to} from '../../api/calls';
import {ApiError} from '../../api/client';
import {present} from '../../api/session';
import {useLoad} from '../../api/load';
import {Button} from '../../parts/button';
import {Dialog} from '../../parts/dialog';
import {Input} from '../../parts/field';
import {say} from '../../parts/toast';
import {Said} from '../../parts/text';
import {linkTo} from '../../route';

export function Searches({filter, sort}: {filter: string; sort: string}) {
  const user = present()?.user ?? '';
  const kept = useLoad(to('/users/{name}/searches', {path: {name: user}}));
  const [name, setName] = useState<string | null>(null);
  const [wrong, setWrong] = useState('');
  const mine = (kept.value?.searches ?? []).filter((item) => item.list === 'devices');
  const shown = mine.find((item) => item.filter === filter && item.sort === sort);
  return (
    <div class="row searches" id="searches">
      {mine.map((item) => <a key={item.name} class="badge" href={linkTo(['fleet'], {filter: item.filter, sort: item.sort})} aria-current={item === shown ? 'true' : undefined}><Said text={item.name} /></a>)}
      {filter && !shown && <Button small kind="plain" id="keep-search" onPress={() => { setWrong(''); setName(''); }}>Keep this search</Button>}
      {shown && <Button small kind="plain" onPress={async () => { await drop('/users/{name}/searches/{search}', {path: {name: user, search: shown.name}}); say('The search is no longer kept.'); await kept.reload(); }}>Forget this search</Button>}
      {name !== null && (
        <Dialog title="Keep this search" onClose={() => setName(null)}>
          <div class="body">
            <h2>Keep this search</h2>
            <code><bdi>{filter}</bdi></code>
            <Input id="search-name" label="Name" value={name} onInput={setName} wrong={wrong} autoFocus />
            <div class="buttons"><button type="button" class="button" onClick={() => setName(null)}>Cancel</button>
              <Button id="do-keep" kind="primary" disabled={!name.trim()} onError={(error: ApiError) => setWrong(error.message)} onPress={async () => {
                await replace('/users/{name}/searches/{search}', {path: {name: user, search: name.trim()}, body: {list: 'devices', filter, ...(sort ? {sort} : {})}});
                setName(null);
                say('The search is kept.');
                await kept.reload();
              }}>Keep</Button></div>
          </div>
        </Dialog>
      )}
    </div>
  );
}
