// Releases: the list, the form of a new one, one release.
import {useMemo} from 'preact/hooks';
import {to} from '../../api/calls';
import {has, may} from '../../api/session';
import {PACKAGES, RELEASES, useLoad, useRows} from '../../api/load';
import type {Release} from '../../api/types';
import {moving} from '../../live/client';
import {Input, Select} from '../../parts/field';
import {Loading, PageHead} from '../../parts/page';
import {LongTable, type Column} from '../../parts/table';
import {Ago, Badge, countText, shareText} from '../../parts/text';
import {MOVING, parts, stateWords} from '../../release';
import {linkTo, setQuery} from '../../route';
import {useStore} from '../../store';
import {later} from '../later';
import type {PageProps} from '../list';
import {ReleasePage} from './release';

const CampaignList = later('CampaignList'), CampaignPage = later('CampaignPage'), NewRelease = later('NewRelease');

export function ReleaseBar({release}: {release: Release}) {
  const all = parts(release.counts).filter((part) => part.count > 0);
  const text = all.map((part) => `${countText(part.count)} ${part.text}`).join(', ') || 'no device yet';
  return (
    <div class="bar" role="img" aria-label={text} title={text}>
      {all.map((part) => <i key={part.name} class={part.name} style={{width: `${100 * part.count / Math.max(1, release.counts.members)}%`}} />)}
    </div>
  );
}

// Whether it waits for a person is known of its stages, which lists leave out and events bring.
export const ReleaseBadge = ({release}: {release: Release}) => {
  const known = useStore(moving).get(release.id);
  const [text, tone] = stateWords(known?.state === release.state ? {...release, stages: known.stages} : release);
  return <Badge tone={tone}>{text}</Badge>;
};

const COLUMNS: Column<Release>[] = [
  {name: 'Package', width: 'wide', narrow: 'title', sort: 'package',
    show: (row) => <a href={linkTo(['releases', row.id])} title={row.id}><bdi>{row.package} {row.version}</bdi></a>},
  {name: 'State', width: 'state', narrow: 'end', sort: 'state', show: (row) => <ReleaseBadge release={row} />},
  {name: 'Devices', width: 'number', number: true, show: (row) => countText(row.counts.members)},
  {name: 'Healthy', width: 'number', number: true, narrow: 'hide',
    show: (row) => shareText(parts(row.counts)[0]?.count ?? 0, row.counts.members)},
  {name: 'Failed', width: 'number', number: true, show: (row) => row.counts.failed > 0 ? <span class="bad">{countText(row.counts.failed)}</span> : '0'},
  {name: 'Progress', width: 'bar', narrow: 'hide', show: (row) => <ReleaseBar release={row} />},
  {name: 'Why it stands there', narrow: 'hide', show: (row) => <bdi title={row.reason}>{row.reason}</bdi>},
  {name: 'Made', width: 'ago', sort: 'created_ms', show: (row) => <Ago ms={row.created_ms} />},
];

const FILTERS: [string, string][] = [['', 'all states'], ['moving', 'under way'], ['paused', 'paused'], ['complete', 'complete'], ['back', 'stopped or taken back'], ['draft', 'drafts']];

function fits(release: Release, state: string, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  if (wanted && !`${release.package} ${release.version} ${release.id} ${release.reason}`.toLowerCase().includes(wanted)) return false;
  return !state || (STATES[state] ?? [state]).includes(release.state);
}

const STATES: Record<string, string[]> = {moving: MOVING, back: ['stopped', 'rolling_back', 'rolled_back', 'killed', 'failed_simulation']};

// The same as the server searches it.
function filterOf(state: string, text: string): string {
  const parts: string[] = [];
  if (text.trim()) parts.push(`text(${JSON.stringify(text.trim())})`);
  if (state) parts.push(`state in (${(STATES[state] ?? [state]).map((one) => JSON.stringify(one)).join(', ')})`);
  return parts.join(' and ');
}

function ReleaseList({query}: {query: URLSearchParams}) {
  const state = query.get('state') ?? '', text = query.get('text') ?? '', sort = query.get('sort') ?? '';
  const paged = has('cursor');
  const list = useRows<Release>(to('/releases', {query: paged ? {total: '1', sort, filter: filterOf(state, text)} : {}}), 'releases', (event) => event.kind === 'release');
  const rows = useMemo(() => (list.rows ?? []).filter((row) => paged || fits(row, state, text)), [list.rows, state, text]);
  const filtered = state !== '' || text !== '';
  return (
    <>
      <PageHead title="Releases" actions={<><a class="button" href="#/releases/campaigns">Campaigns</a>{may('release') && <a class="button primary" id="new-release" href="#/releases/new">New release</a>}</>} />
      <div class="filters">
        <Input label="Search" id="release-search" value={text} onInput={(value) => setQuery({text: value})} placeholder="package, version or reason" />
        <Select label="State" id="release-state" value={state} onInput={(value) => setQuery({state: value})} options={FILTERS} />
      </div>
      <Loading of={{value: list.rows, error: list.error}}>
        {() => <LongTable label="Releases" id="releases" what="releases" columns={COLUMNS} rows={rows} keyOf={(row) => row.id}
          linkOf={(row) => linkTo(['releases', row.id])} more={list.more} readMore={list.readMore} total={filtered && !paged ? undefined : list.total}
          sort={sort} onSort={paged ? (value) => setQuery({sort: value}) : undefined}
          empty={filtered ? 'No release fits the search.' : <>No release yet. <a href="#/releases/new">Make the first one</a>, or: ferry release start --package NAME --version X.Y.Z</>} />}
      </Loading>
    </>
  );
}

export function ReleasesPage({path, query}: PageProps) {
  if (path[0] === 'campaigns') return path[1] ? <CampaignPage id={path[1]} /> : <CampaignList query={query} />;
  if (path[0] === 'new') return <NewReleasePage query={query} />;
  if (path[0]) return <ReleasePage id={path[0]} query={query} />;
  return <ReleaseList query={query} />;
}

function NewReleasePage({query}: {query: URLSearchParams}) {
  const packages = useLoad(PACKAGES);
  const releases = useLoad(RELEASES);
  return (
    <>
      <PageHead title="New release" crumbs={[['Releases', '#/releases']]} under="Nothing is sent before you have seen whom it reaches." />
      <Loading of={packages}>
        {(shown) => shown.packages.length === 0
          ? <p class="empty">No package is published yet. <a href="#/packages">Upload a publish bundle</a>, or: ferry publish FILE.fpk</p>
          : <Loading of={releases}>{(all) => <NewRelease packages={shown.packages} releases={all.releases} query={query} />}</Loading>}
      </Loading>
    </>
  );
}
