// One device: what it is, what it runs, what it said, and why it has a release or lacks it.
import {useEffect, useRef, useState} from 'preact/hooks';
import {readTagged, replace, send, to} from '../../api/calls';
import {ApiError} from '../../api/client';
import {has, may} from '../../api/session';
import {RELEASES, useLoad} from '../../api/load';
import type {FullDevice, Member, Report} from '../../api/types';
import {Button} from '../../parts/button';
import {askFor, Dialog} from '../../parts/dialog';
import {Input, Select} from '../../parts/field';
import {Card, Facts, Loading, PageHead, Problem} from '../../parts/page';
import {Table, type Column} from '../../parts/table';
import {say} from '../../parts/toast';
import {Ago, Badge, Copy, Id, Said, Time, bytesText, gist} from '../../parts/text';
import {isMoving, memberWords} from '../../release';
import {linkTo, setQuery} from '../../route';

// About one release, which is named: the newest under way unless another is chosen.
function Why({device, query}: {device: FullDevice; query: URLSearchParams}) {
  const list = useLoad(RELEASES, (event) => event.kind === 'release');
  const releases = list.value?.releases ?? [];
  const chosen = query.get('release') ?? releases.find((item) => isMoving(item.state))?.id ?? releases[0]?.id ?? '';
  const why = useLoad(chosen ? to('/devices/{id}/why', {path: {id: device.id}, query: {release: chosen}}) : null, (event) => event.kind === 'release' && event.value.id === chosen);
  if (list.error && !list.value) return <Problem error={list.error} />;
  if (list.value && releases.length === 0) return <Card title="Why (not)?"><p class="empty">There is no release yet.</p></Card>;
  const release = releases.find((item) => item.id === chosen);
  return (
    <Card title="Why (not)?" id="why">
      <div class="stack">
        <Select id="why-release" label="Release" value={chosen} onInput={(value) => setQuery({release: value})}
          options={releases.map((item) => [item.id, `${item.package} ${item.version}, ${item.state.replaceAll('_', ' ')} (${item.id})`])} />
        {why.value && release && (
          <div class="note" id="why-text" data-tone={why.value.assigned ? 'good' : why.value.matches_rule ? 'wait' : ''}>
            <p><strong><a href={linkTo(['releases', release.id])}>{release.package} {release.version}</a></strong>: <Said text={why.value.text} /></p>
            <p class="muted">{why.value.matches_rule ? 'The rule lets it in' : 'The rule leaves it out'}: <code><bdi>{release.rule || 'all'}</bdi></code></p>
          </div>
        )}
        {why.error && !why.value && <Problem error={why.error} />}
      </div>
    </Card>
  );
}

function Runs({device}: {device: FullDevice}) {
  const has = new Map((device.packages ?? []).map((item) => [item.name, item]));
  const names = [...new Set([...Object.keys(device.running), ...has.keys(), ...Object.keys(device.desired?.packages ?? {})])].sort();
  if (names.length === 0) return <Card title="Runs"><p class="empty">Nothing is installed.</p></Card>;
  return (
    <Card title="Runs" id="runs" side={device.desired && <Badge tone={device.desired.settled ? 'good' : 'wait'}>{device.desired.settled ? 'has what it shall have' : 'on its way'}</Badge>}>
      <Facts rows={names.map((name) => {
        const runs = device.running[name], shall = device.desired?.packages[name], disabled = has.get(name)?.disabled;
        return [name, <>
          {runs ? <a href={linkTo(['packages', name, runs])}><bdi>{runs}</bdi></a> : <span class="muted">nothing</span>}
          {disabled && <> <Badge tone="bad">disabled</Badge></>}
          {shall?.version && shall.version !== runs && <span class="wait"> shall have <bdi>{shall.version}</bdi></span>}
          {shall?.state && shall.state !== 'run' && <span class="muted"> ({shall.state})</span>}
        </>];
      })} />
    </Card>
  );
}

const record = (values: Record<string, unknown>): string => Object.entries(values).map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`).join(', ');

function Attributes({device}: {device: FullDevice}) {
  const rows: [string, preact.ComponentChildren][] = [
    ['OS', <Said text={device.os} />], ['App version', <Said text={device.app_version} />], ['Class', <><Said text={device.device_class} />{device.measured_class && <span class="muted"> (measured: {device.measured_class})</span>}</>],
    ["Operator's tags", device.operator_tags.length ? <Said text={device.operator_tags.join(', ')} /> : <span class="muted">none</span>],
    ['Own tags', device.tags.length ? <Said text={device.tags.join(', ')} /> : <span class="muted">none</span>],
    ['Groups', device.groups.length ? <Said text={device.groups.join(', ')} /> : <span class="muted">none</span>],
    ['Runtime', <Said text={device.runtime_version} />],
    ['Memory', bytesText(device.memory_bytes)], ['Free space', bytesText(device.free_bytes)],
    ['Processor', <Said text={device.isa.join(' ') || '-'} />],
  ];
  if (Object.keys(device.extra).length) rows.push(['Extra', <Said text={record(device.extra)} />]);
  if (Object.keys(device.user).length) rows.push(["App's own", <Said text={record(device.user)} />]);
  return <Card title="Attributes"><Facts rows={rows} /></Card>;
}

function Connection({device}: {device: FullDevice}) {
  const ahead = device.clock_ahead_ms ?? 0;
  return (
    <Card title="Connection">
      <Facts rows={[
        ['Last heard', <><Time ms={device.last_seen_ms} /> <span class="muted">(<Ago ms={device.last_seen_ms} />)</span></>],
        ['Joined', <Time ms={device.enrolled_ms} />],
        ['Its zone', device.utc_offset_minutes === null ? 'not known' : `UTC ${device.utc_offset_minutes < 0 ? '-' : '+'}${Math.abs(device.utc_offset_minutes / 60)}`],
        ['Its clock', ahead > 60_000 ? <span class="wait">{Math.round(ahead / 1000)} s ahead</span> : 'not ahead'],
        ['At rest', device.at_rest ? 'sealed' : 'plain files'],
        ...(device.state ? [['Noted', <><Badge tone="wait">{device.state}</Badge> <Time ms={device.state_ms} /></>] as [string, preact.ComponentChildren]] : []),
        ['Id', <Id id={device.id} what="device id" />],
      ]} />
    </Card>
  );
}

function ErrorText({name, text}: {name: string; text: string}) {
  if (!text) return null;
  const short = <span class="bad">{name && `${name}: `}<Said text={gist(text)} /></span>;
  return !text.trimEnd().includes('\n') ? short : <details><summary>{short}</summary><pre class="trace"><bdi>{text}</bdi></pre></details>;
}

const REPORTS: Column<Report>[] = [
  {name: 'Time', narrow: 'under', show: (row) => <Time ms={row.time_ms} />},
  {name: 'Step', narrow: 'title', show: (row) => <Badge tone={row.error_text ? 'bad' : row.step === 'healthy' ? 'good' : ''}>{row.step.replaceAll('_', ' ')}</Badge>},
  {name: 'Package', narrow: 'end', show: (row) => <a href={linkTo(['packages', row.package, row.version])}><bdi>{row.package} {row.version}</bdi></a>},
  {name: 'Release', narrow: 'hide', show: (row) => row.release_id ? <a href={linkTo(['releases', row.release_id])}><bdi>{row.release_id}</bdi></a> : ''},
  {name: 'Pulled', show: (row) => row.bytes_pulled > 0 ? `${bytesText(row.bytes_pulled)}${row.was_delta ? ' delta' : ''}` : ''},
  {name: 'Error', show: (row) => <ErrorText name={row.error_name} text={row.error_text} />},
];

const MEMBERS: Column<Member>[] = [
  {name: 'Release', narrow: 'title', show: (row) => <a href={linkTo(['releases', row.release])}><bdi>{row.release}</bdi></a>},
  {name: 'State', narrow: 'end', show: (row) => { const [text, tone] = memberWords(row); return <Badge tone={tone}>{text}</Badge>; }},
  {name: 'Had before', show: (row) => row.had_version ? <Said text={row.had_version} /> : ''},
  {name: 'Pulled', show: (row) => row.bytes_pulled > 0 ? `${bytesText(row.bytes_pulled)}${row.was_delta ? ' delta' : ''}` : ''},
  {name: 'By', narrow: 'hide', show: (row) => row.step ? (row.by_push ? 'push' : 'poll') : ''},
  {name: 'Error', show: (row) => <ErrorText name={row.error_name} text={row.error_text} />},
];

// Tags are edited against what was read: another editor's change is shown, never overwritten, and what is read never replaces
// what was typed while it was on its way.
function TagsDialog({device, onClose, done}: {device: FullDevice; onClose: () => void; done: () => Promise<void>}) {
  const begun = useRef(device.operator_tags.join(', '));
  const typed = useRef(false);
  const [text, setText] = useState(begun.current);
  const [etag, setEtag] = useState<string | null>(null);
  const [changed, setChanged] = useState<{tags?: string[] | undefined}>();
  const [error, setError] = useState<ApiError>();
  const where = {path: {id: device.id}};
  // A server that knows no editions gives no address to read the tags at either.
  useEffect(() => {
    if (has('etag')) void readTagged('/devices/{id}/tags', where).then(({etag, value}) => {
      setEtag(etag);
      if (!typed.current) setText(value.tags.join(', '));
      else if (value.tags.join(', ') !== begun.current) setChanged(value);
    }, setError);
  }, [device.id]);
  return (
    <Dialog title="Tags" onClose={onClose}>
      <div class="body">
        <h2>Operator's tags</h2>
        <Input id="tags" label="Tags, by commas" value={text} onInput={(value) => { typed.current = true; setText(value); }} hint={'"eu/de" is below "eu"'} wrong={error?.message} />
        {changed && <div class="note" data-tone="wait" role="alert"><p>Somebody changed them meanwhile{changed.tags ? <>: now <strong><Said text={changed.tags.join(', ') || 'none'} /></strong></> : ''}. Saving replaces that.</p></div>}
        <div class="buttons">
          <button type="button" class="button" onClick={onClose}>Cancel</button>
          <Button id="save-tags" kind="primary" disabled={has('etag') && !etag && !error} onError={async (failed) => {
            setError(failed.status === 412 ? undefined : failed);
            if (failed.status !== 412) return;
            setChanged({tags: (failed.current as {tags?: string[]} | undefined)?.tags});
            setEtag((await readTagged('/devices/{id}/tags', where)).etag);
          }} onPress={async () => {
            const tags = text.split(',').map((tag) => tag.trim()).filter(Boolean);
            await replace('/devices/{id}/tags', {...where, body: {tags}, ...(etag ? {match: etag} : {})});
            say('The tags are kept.');
            onClose();
            await done();
          }}>Save</Button>
        </div>
      </div>
    </Dialog>
  );
}

function DeviceActions({device, done}: {device: FullDevice; done: () => Promise<void>}) {
  const [tags, setTags] = useState(false);
  if (!may('release')) return null;
  const block = () => askFor(device.blocked
    ? {title: 'Unblock this device?', facts: <p>It may connect again, and is offered what the releases say.</p>, action: 'Unblock',
      work: async ({key}) => { await send('/devices/{id}/block', {path: {id: device.id}, body: {blocked: false}, key}); say('Unblocked.'); await done(); }}
    : {title: 'Block this device?', action: 'Block', danger: true,
      facts: <><p>Its line ends at once, and it gets nothing more until it is unblocked. What it runs goes on running.</p><p class="mono">{device.id}</p></>,
      work: async ({key}) => { await send('/devices/{id}/block', {path: {id: device.id}, body: {blocked: true}, key}); say('Blocked.'); await done(); }});
  return (
    <>
      <Button id="edit-tags" onPress={() => setTags(true)}>Edit tags</Button>
      <Button id="block" kind={device.blocked ? '' : 'danger'} onPress={block}>{device.blocked ? 'Unblock' : 'Block'}</Button>
      {tags && <TagsDialog device={device} onClose={() => setTags(false)} done={done} />}
    </>
  );
}

export function DevicePage({id, query}: {id: string; query: URLSearchParams}) {
  const loaded = useLoad(to('/devices/{id}', {path: {id}}), (event) => event.kind === 'release');
  return (
    <Loading of={loaded} missingPage="There is no such device">
      {(device) => (
        <>
          <PageHead title={`Device ${device.id.slice(0, 12)}`} crumbs={[['Fleet', '#/fleet']]}
            shown={<>Device <span class="mono" title={device.id}>{device.id.slice(0, 12)}</span><Copy text={device.id} what="device id" /> {device.blocked && <Badge tone="bad">blocked</Badge>}</>}
            actions={<DeviceActions device={device} done={loaded.reload} />}
            under={<>Heard <Ago ms={device.last_seen_ms} /></>} />
          <div class="stack">
            <div class="two">
              <div class="stack"><Why device={device} query={query} /><Runs device={device} /></div>
              <div class="stack"><Attributes device={device} /><Connection device={device} /></div>
            </div>
            <Card title="Releases"><Table label="Releases of this device" columns={MEMBERS} rows={device.members} keyOf={(row) => row.release} empty="No release has reached it." /></Card>
            <Card title="Timeline" side={<span class="muted">newest first</span>}><Table label="Reports of this device" id="timeline" columns={REPORTS} rows={device.reports} keyOf={(row) => String(row.seq)} empty="It has reported nothing." /></Card>
          </div>
        </>
      )}
    </Loading>
  );
}
