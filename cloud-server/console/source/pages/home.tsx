// What needs a person now, what is under way, what the fleet runs.
import type {ComponentChildren} from 'preact';
import {to} from '../api/calls';
import {RELEASES, useAhead, useLoad} from '../api/load';
import type {Approval, FullRelease, Release, ReleaseState, Status} from '../api/types';
import {moving} from '../live/client';
import {Card, Loading, PageHead} from '../parts/page';
import {Ago, Badge, Said, Time, countText, devicesText, spanText} from '../parts/text';
import {isMoving, nearLimit, stageName, waitsForPerson} from '../release';
import {linkTo} from '../route';
import {useStore} from '../store';
import {ReleaseBadge, ReleaseBar} from './releases/releases';
import {Versions, versionLinks} from './versions';

const RECENT_MS = 3 * 86_400_000;

interface Need { key: string; rank: number; tone: 'bad' | 'wait'; title: ComponentChildren; text: ComponentChildren; href: string }

function needsOfRelease(release: Release | FullRelease, now: number): Need[] {
  const href = linkTo(['releases', release.id]), name = `${release.package} ${release.version}`;
  const needs: Need[] = [];
  if (waitsForPerson(release as FullRelease)) {
    const stage = (release as FullRelease).stages[release.stage];
    needs.push({key: `${release.id}/held`, rank: 0, tone: 'wait', href, title: <>{name} waits for approval</>,
      text: <>Stage {stage && stageName(stage)} has {devicesText(release.counts.members)}, {release.counts.failed} failed.</>});
  }
  if (release.state === 'paused') needs.push({key: `${release.id}/paused`, rank: 2, tone: 'wait', href, title: <>{name} is paused</>, text: <Said text={release.reason} />});
  const near = isMoving(release.state) && 'gates' in release ? nearLimit(release.gates)[0] : undefined;
  if (near) needs.push({key: `${release.id}/near`, rank: 1, tone: 'bad', href, title: <>{name} is near its stop line</>,
    text: <>Slice <Said text={near.slice} />: {near.failed} of {near.failed + near.healthy + near.pending} failed, evidence {near.evidence.toPrecision(3)} of {near.threshold.toPrecision(3)}.</>});
  if (['stopped', 'rolling_back', 'rolled_back', 'failed_simulation'].includes(release.state) && now - release.created_ms < RECENT_MS)
    needs.push({key: `${release.id}/stopped`, rank: 3, tone: 'bad', href, title: <>{name} was stopped</>, text: <Said text={release.reason} />});
  const silent = release.counts.overdue ?? 0;
  if (silent > 0 && (isMoving(release.state) || release.state === 'complete'))
    needs.push({key: `${release.id}/silent`, rank: 4, tone: 'wait', href, title: <>{devicesText(silent)} went silent under {name}</>, text: 'They began, and said nothing since.'});
  return needs;
}

function needsOfServer(status: Status | undefined, approvals: Approval[], now: number): Need[] {
  const needs: Need[] = approvals.filter((item) => item.state === 'open').map((item) => ({
    key: `approval/${item.id}`, rank: 0, tone: 'wait', href: '#/admin/approvals', title: <>{item.user} asks for a second person</>,
    text: <Said text={`${item.method} ${item.path}${item.package ? ` (${item.package})` : ''}`} />}));
  for (const thing of status?.expires ?? []) {
    if (thing.state === 'ok') continue;
    needs.push({key: `expires/${thing.what}`, rank: thing.state === 'expired' ? 0 : 2, tone: thing.state === 'soon' ? 'wait' : 'bad', href: '#/admin/expiry',
      title: thing.expires_ms <= now ? <>{thing.what} has expired</> : <>{thing.what} expires in {spanText(thing.expires_ms - now)}</>, text: <Time ms={thing.expires_ms} />});
  }
  return needs;
}

const NeedList = ({needs}: {needs: Need[]}) => (
  <Card title="Needs a person" id="needs">
    {needs.length === 0 ? <p class="empty">Nothing waits for you.</p> : (
      <ul class="needs">{needs.map((need) => (
        <li key={need.key} data-tone={need.tone}><a href={need.href}>{need.title}</a><div class="muted clip">{need.text}</div></li>
      ))}</ul>
    )}
  </Card>
);

const UnderWay = ({releases, details}: {releases: Release[]; details: ReadonlyMap<string, FullRelease>}) => (
  <Card title="Under way" id="under-way" side={<a href="#/releases">All releases</a>}>
    {releases.length === 0 ? <p class="empty">No release is under way. <a href="#/releases/new">Make one</a></p> : (
      <ul class="under-way">{releases.map((release) => {
        const full = details.get(release.id);
        const stage = full?.stages[full.stage];
        return (
          <li key={release.id}>
            <div class="spread"><a href={linkTo(['releases', release.id])}><bdi>{release.package} {release.version}</bdi></a><ReleaseBadge release={full ?? release} /></div>
            <ReleaseBar release={release} />
            <div class="muted small-text">{stage ? <>Stage {stage.index + 1} of {full.stages.length}, {stageName(stage)}; </> : ''}{devicesText(release.counts.members)}, {countText(release.counts.failed)} failed</div>
          </li>
        );
      })}</ul>
    )}
  </Card>
);

const RecentList = ({releases}: {releases: Release[]}) => (
  <Card title="Lately">
    {releases.length === 0 ? <p class="empty">No release has ended yet.</p> : (
      <ul class="recent">{releases.map((release) => (
        <li key={release.id}><span class="spread"><a href={linkTo(['releases', release.id])}><bdi>{release.package} {release.version}</bdi></a> <ReleaseBadge release={release} /></span>
          <div class="muted clip"><Said text={release.reason} />, made <Ago ms={release.created_ms} /></div></li>
      ))}</ul>
    )}
  </Card>
);

const SHOWN_RECENT = 6;
const isUnderWay = (state: ReleaseState): boolean => isMoving(state) || state === 'paused' || state === 'rolling_back';

export function HomePage() {
  const status = useLoad(to('/status'), (event) => event.kind === 'status');
  const list = useLoad(RELEASES, (event) => event.kind === 'release');
  const approvals = useLoad(to('/approvals'), (event) => event.kind === 'status' || event.kind === 'release');
  useAhead('', ...versionLinks());
  const releases = list.value?.releases ?? [];
  const details = useStore(moving);
  const now = status.value?.time_ms ?? Date.now();
  const needs = [...releases.flatMap((release) => {
    const full = details.get(release.id);
    return needsOfRelease(full && full.state === release.state ? {...full, counts: release.counts} : release, now);
  }), ...needsOfServer(status.value, approvals.value?.approvals ?? [], now)].sort((a, b) => a.rank - b.rank);
  return (
    <>
      <PageHead title="Home" />
      <Loading of={{value: list.value && status.value ? status.value : undefined, error: list.error ?? status.error}}>
        {(shown) => (
          <div class="stack">
            <ul class="figures"><li><b>{countText(shown.devices)}</b> <a href="#/fleet">devices</a></li><li><b>{countText(shown.packages)}</b> <a href="#/packages">package versions</a></li>
              <li><b>{countText(releases.filter((item) => isUnderWay(item.state)).length)}</b> <a href="#/releases?state=moving">under way</a></li>
              {shown.restored && <li><Badge tone="wait">restored</Badge> from a backup of <Time ms={shown.restored.backup_ms} /></li>}</ul>
            <div class="two">
              <div class="stack"><NeedList needs={needs} /><Versions devices={shown.devices} /></div>
              <div class="stack"><UnderWay releases={releases.filter((item) => isUnderWay(item.state))} details={details} />
                <RecentList releases={releases.filter((item) => !isUnderWay(item.state)).slice(0, SHOWN_RECENT)} /></div>
            </div>
          </div>
        )}
      </Loading>
    </>
  );
}
