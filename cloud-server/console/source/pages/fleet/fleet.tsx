// The fleet: search, what it is made of, its devices; one device.
import {useState} from 'preact/hooks';
import {to} from '../../api/calls';
import {has} from '../../api/session';
import {useLoad, useRows} from '../../api/load';
import type {Device} from '../../api/types';
import {RuleEditor} from '../../parts/rule';
import {Loading, PageHead, Problem} from '../../parts/page';
import {LongTable, type Column} from '../../parts/table';
import {Ago, Badge, Id, Said, countText, shareText} from '../../parts/text';
import {linkTo, setQuery} from '../../route';
import {later} from '../later';
import type {PageProps} from '../list';
import {Bulk} from './bulk';
import {Searches} from './searches';

export const runningText = (device: Device): string => Object.entries(device.running).map(([name, version]) => `${name} ${version}`).join(', ');
export const tagsText = (device: Device): string => [...device.operator_tags, ...device.tags].join(', ');

const COLUMNS: Column<Device>[] = [
  {name: 'Device', width: 'id', narrow: 'title', sort: 'id', show: (row) => <Id id={row.id} href={linkTo(['fleet', row.id])} what="device id" copy={false} />},
  {name: 'State', width: 'short', narrow: 'end', show: (row) => row.blocked ? <Badge tone="bad">blocked</Badge> : row.state ? <Badge tone="wait">{row.state}</Badge> : ''},
  {name: 'OS', width: 'short', sort: 'os', show: (row) => <Said text={row.os} />},
  {name: 'App', width: 'short', sort: 'app_version', show: (row) => <Said text={row.app_version} />},
  {name: 'Class', width: 'short', sort: 'device_class', show: (row) => <Said text={row.device_class} />},
  {name: 'Tags', show: (row) => <bdi title={tagsText(row)}>{tagsText(row)}</bdi>},
  {name: 'Runs', show: (row) => <bdi title={runningText(row)}>{runningText(row)}</bdi>},
  {name: 'Last heard', width: 'ago', sort: 'last_seen_ms', show: (row) => <Ago ms={row.last_seen_ms} />},
];

interface FacetValue { value: string; count: number; filter?: string }
interface Facets { facets: Record<string, FacetValue[]>; total: number }

const FACET_NAMES: Record<string, string> = {os: 'OS', device_class: 'Class', running: 'Runs', tags: 'Tags', blocked: 'Blocked', app_version: 'App version'};
// The condition that a facet's value stands for; none where the language has none.
function conditionOf(facet: string, value: string): string | null {
  const quoted = JSON.stringify(value);
  if (facet === 'tags') return `tag(${quoted})`;
  return ['os', 'app_version', 'device_class'].includes(facet) ? `${facet} == ${quoted}` : null;
}
const ORDER = Object.keys(FACET_NAMES);
const ordered = (facets: Facets['facets']) => Object.entries(facets).sort(([a], [b]) => ORDER.indexOf(a) - ORDER.indexOf(b));
const SHOWN_VALUES = 8;

function Facet({name, values, total, onChoose}: {name: string; values: FacetValue[]; total: number; onChoose: (condition: string) => void}) {
  if (values.length === 0) return null;
  return (
    <div class="facet">
      <h3>{FACET_NAMES[name] ?? name}</h3>
      <ul>{values.slice(0, SHOWN_VALUES).map(({value, count, filter}) => {
        const condition = filter ?? conditionOf(name, value);
        const text = <><bdi>{String(value) || 'none'}</bdi><span class="number">{countText(count)}</span></>;
        return <li key={String(value)} title={shareText(count, total)}>{condition ? <button type="button" class="facet-value" onClick={() => onChoose(condition)}>{text}</button> : <span class="facet-value">{text}</span>}</li>;
      })}</ul>
    </div>
  );
}

function FacetList({filter, onChoose}: {filter: string; onChoose: (condition: string) => void}) {
  const facets = useLoad(to('/devices/facets', {query: {filter}}));
  return (
    <aside class="facets" aria-label="What the fleet is made of">
      {facets.value && ordered(facets.value.facets).map(([name, values]) => (
        <Facet key={name} name={name} values={values} total={facets.value?.total ?? 0} onChoose={onChoose} />
      ))}
    </aside>
  );
}

function Search({filter, wrong, words}: {filter: string; wrong: {text: string; line?: number; column?: number} | undefined; words: Record<string, string[]>}) {
  const [text, setText] = useState(filter);
  const [last, setLast] = useState(filter);
  if (filter !== last) { setLast(filter); setText(filter); }
  const search = (value: string) => setQuery({filter: value.trim()});
  return (
    <form class="search" id="fleet-search" onSubmit={(event) => { event.preventDefault(); search(text); }}>
      <RuleEditor id="fleet-rule" label="Search in the rule language" value={text} lines={1} onInput={setText} onEnter={() => search(text)} wrong={wrong} words={words}
        placeholder={'os == "android" and app_version < "2.0.0"'} />
      <button type="submit" class="button primary" id="do-search">Search</button>
      <button type="button" class="button" disabled={!filter && !text} onClick={() => { setText(''); search(''); }}>Clear</button>
    </form>
  );
}

function FleetList({query}: {query: URLSearchParams}) {
  const filter = query.get('filter') ?? '', sort = query.get('sort') ?? '';
  const searches = has('cursor');
  const list = useRows<Device>(to('/devices', {query: searches ? {filter, sort, total: '1'} : {}}), 'devices', (event) => event.kind === 'release');
  const wrong = list.error && !list.error.unreachable && list.error.status === 400 ? {text: list.error.said ?? list.error.message, line: list.error.line, column: list.error.column} : undefined;
  const choose = (condition: string) => setQuery({filter: filter ? `(${filter}) and ${condition}` : condition});
  return (
    <>
      <PageHead title="Fleet" actions={<a class="button" href="#/admin/join-tokens">Let devices join</a>} />
      {searches && <Search filter={filter} wrong={wrong} words={{}} />}
      {searches && has('saved_searches') && <Searches filter={filter} sort={sort} />}
      {list.error && !wrong && <Problem error={list.error} stale={list.rows !== undefined} />}
      <div class={has('facets') ? 'fleet-two' : ''}>
        {has('facets') && <FacetList filter={wrong ? '' : filter} onChoose={choose} />}
        <div class="stack fleet-list">
          {has('bulk') && <Bulk filter={filter} total={list.total} done={() => void list.reload()} />}
          {wrong ? <p class="empty">The search is not a rule yet.</p> : <Loading of={{value: list.rows, error: undefined}}>
            {(rows) => <LongTable label="Devices" id="devices" what="devices" columns={COLUMNS} rows={rows} keyOf={(row) => row.id} linkOf={(row) => linkTo(['fleet', row.id])}
              more={list.more} readMore={list.readMore} total={list.total} sort={sort} onSort={searches ? (value) => setQuery({sort: value}) : undefined}
              empty={filter ? 'No device fits the search.' : <>No device has joined. <a href="#/admin/join-tokens">Make a join token</a> and give it to: ferry-device run --join TOKEN</>} />}
          </Loading>}
        </div>
      </div>
    </>
  );
}

const DevicePage = later('DevicePage');

export const FleetPage = ({path, query}: PageProps) => path[0] ? <DevicePage id={path[0]} query={query} /> : <FleetList query={query} />;
