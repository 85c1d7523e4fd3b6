// One version of a package: what it is, what it weighs on the way, where it went; and tabs that look into it.
import {useEffect, useState} from 'preact/hooks';
import {to} from '../../api/calls';
import {has, may} from '../../api/session';
import {PACKAGES, RELEASES, useLoad} from '../../api/load';
import type {FullPackage, Package, Release} from '../../api/types';
import {layouter} from '../../graph/layout';
import {Card, Facts, Loading, PageHead, Tabs} from '../../parts/page';
import {Table, type Column} from '../../parts/table';
import {Ago, Copy, Id, Said, Time, bytesText, countText} from '../../parts/text';
import {linkTo} from '../../route';
import {ReleaseBadge, ReleaseBar} from '../releases/releases';

type Artefact = FullPackage['artefacts'][number];

const ARTEFACTS: Column<Artefact>[] = [
  {name: 'File', narrow: 'title', show: (row) => <bdi>{row.path.split('/').slice(2).join('/') || row.path}</bdi>},
  {name: 'Kind', narrow: 'end', show: (row) => row.base_version ? <>delta from <bdi>{row.base_version}</bdi></> : row.kind},
  {name: 'Size', number: true, show: (row) => bytesText(row.length)},
  {name: 'SHA-256 (sealed)', show: (row) => <Id id={row.sha256} what="hash" />},
];

const RELEASE_COLUMNS: Column<Release>[] = [
  {name: 'Release', narrow: 'title', show: (row) => <a href={linkTo(['releases', row.id])}><bdi>{row.id}</bdi></a>},
  {name: 'State', narrow: 'end', show: (row) => <ReleaseBadge release={row} />},
  {name: 'Devices', number: true, show: (row) => countText(row.counts.members)},
  {name: 'Progress', narrow: 'hide', show: (row) => <ReleaseBar release={row} />},
  {name: 'Why it stands there', show: (row) => <Said text={row.reason} />},
  {name: 'Made', show: (row) => <Ago ms={row.created_ms} />},
];

function About({item}: {item: FullPackage}) {
  const rows: [string, preact.ComponentChildren][] = [
    ['Published', <Time ms={item.published_ms} />],
    ['Release counter', String(item.release_counter)],
    ['Falls back to', item.fallback_version ? <a href={linkTo(['packages', item.name, item.fallback_version])}>{item.fallback_version}</a> : 'nothing'],
    ['On disk', bytesText(item.plain_length)],
    ['Contents, SHA-256', <Id id={item.plain_sha256} what="hash" />],
  ];
  if (item.description) rows.unshift(['Description', <Said text={item.description} />]);
  if (item.licence) rows.push(['Licence', <Said text={item.licence} />]);
  if (item.requires && Object.keys(item.requires).length) rows.push(['Requires', <code><bdi>{JSON.stringify(item.requires)}</bdi></code>]);
  if (item.git) rows.push(['Task', <Said text={`${item.git.scenario} / ${item.git.task}`} />], ['Git tag', <Said text={item.git.tag} />],
    ['Commit', <span class="id"><code>{item.git.commit.slice(0, 12)}</code><Copy text={item.git.commit} what="commit" /></span>]);
  return <Card title="About"><Facts rows={rows} /></Card>;
}

function Overview({item, others, mine}: {item: FullPackage; others: Package[]; mine: Release[]}) {
  const {name, version} = item;
  return (
    <div class="stack">
      <div class="two">
        <About item={item} />
        <Card title="Versions"><ul class="versions-of">{others.map((other) => (
          <li key={other.version}>{other.version === version ? <strong><bdi>{other.version}</bdi></strong> : <a href={linkTo(['packages', name, other.version])}><bdi>{other.version}</bdi></a>}
            <span class="muted"> {bytesText(other.plain_length)}, <Ago ms={other.published_ms} /></span></li>
        ))}</ul></Card>
      </div>
      <Card title="What devices pull"><Table label="Files" id="artefacts" columns={ARTEFACTS} rows={item.artefacts} keyOf={(row) => row.path} /></Card>
      <Card title="Where it went"><Table label="Releases of this version" columns={RELEASE_COLUMNS} rows={mine} keyOf={(row) => row.id} linkOf={(row) => linkTo(['releases', row.id])}
        empty="It was never released." /></Card>
    </div>
  );
}

type Look = typeof import('./look/look');

// The tabs that look into a version come when one is about to be opened, and what lays graphs out with them.
const loadLook = (): Promise<Look> => {
  if (has('graph')) layouter.warm();
  return import('./look/look');
};

function Inside({tab, item, query, others}: {tab: string; item: FullPackage; query: URLSearchParams; others: Package[]}) {
  const [look, setLook] = useState<Look | null>(null);
  const [wrong, setWrong] = useState(false);
  useEffect(() => { void loadLook().then((part) => setLook(() => part), () => setWrong(true)); }, []);
  if (wrong) return <p class="empty">This part of the console could not be loaded. Load the page again.</p>;
  if (!look) return <p class="waiting">Reading...</p>;
  if (tab === 'contents') return <look.ContentsTab of={item} query={query} />;
  if (tab === 'graph') return <look.GraphTab of={item} query={query} />;
  if (tab === 'quantisation') return <look.QuantisationTab of={item} query={query} />;
  return <look.DifferenceTab of={item} query={query} others={others} graphs={has('graph')} />;
}

// What the server can show; the graph's models are found among the contents.
const tabsOf = (): [string, string][] => [['Overview', ''], ...(has('contents') ? [['Contents', 'contents'], ...(has('graph') ? [['Graph', 'graph']] : []), ['Difference', 'difference'],
  ...(has('graph') ? [['Quantisation', 'quantisation']] : [])] as [string, string][] : [])];

export function PackagePage({name, version, query}: {name: string; version: string; query: URLSearchParams}) {
  const loaded = useLoad<FullPackage>(to('/packages/{name}/{version}', {path: {name, version}}));
  const all = useLoad<{packages: Package[]}>(PACKAGES);
  const releases = useLoad<{releases: Release[]}>(RELEASES, (event) => event.kind === 'release');
  const others = (all.value?.packages ?? []).filter((item) => item.name === name).sort((a, b) => b.release_counter - a.release_counter);
  const mine = (releases.value?.releases ?? []).filter((item) => item.package === name && item.version === version);
  const tabs = tabsOf();
  const asked = query.get('tab') ?? '';
  const tab = tabs.some(([, key]) => key === asked) ? asked : '';
  const linkOf = (key: string): string => linkTo(['packages', name, version], {tab: key || undefined, model: key ? query.get('model') ?? undefined : undefined});
  return (
    <Loading of={loaded} missingPage="There is no such version of a package">
      {(item) => (
        <>
          <PageHead title={`${name} ${version}`} shown={<bdi>{name} {version}</bdi>} crumbs={[['Packages', '#/packages']]}
            actions={may('release') && <a class="button primary" href={linkTo(['releases', 'new'], {package: name, version})}>Release it</a>} />
          {tabs.length > 1 && (
            <div onPointerEnter={() => void loadLook()} onFocusIn={() => void loadLook()}>
              <Tabs label="Of this version" tabs={tabs.map(([text, key]) => [text, linkOf(key)])} current={linkOf(tab)} />
            </div>
          )}
          {tab ? <Inside tab={tab} item={item} query={query} others={others} /> : <Overview item={item} others={others} mine={mine} />}
        </>
      )}
    </Loading>
  );
}
