// One release: how far it came, what the gates weigh, why it moved, and what a person can do.
import {useEffect} from 'preact/hooks';
import {onLive} from '../../live/client';
import {mergedEvents} from '../../live/stream';
import {to} from '../../api/calls';
import {has} from '../../api/session';
import {FIRST_PAGE, useAhead, useLoad, useRows} from '../../api/load';
import type {FullRelease, Member, Stage} from '../../api/types';
import {Card, Facts, Loading, PageHead, Problem} from '../../parts/page';
import {LongTable, type Column} from '../../parts/table';
import {Badge, Copy, Id, Said, Time, bytesText, countText, devicesText, gist, shareText} from '../../parts/text';
import {interval, isTakenBack, markWords, memberWords, parts, stageAsks, stageCount, stageMark, stageName, waitsForPerson} from '../../release';
import {linkTo} from '../../route';
import {Actions} from './actions';
import {Evidence} from './evidence';
import {Decisions} from './decisions';
import {Coverage, seriesOf} from './coverage';
import {ReleaseBadge} from './releases';

// A rate of a million is none.
const aMinute = (rate: unknown): string => Number(rate) < 1_000_000 ? `${countText(Number(rate))} new devices a minute` : 'without a limit';

function StageCard({release, stage}: {release: FullRelease; stage: Stage}) {
  const mark = stageMark(release, stage);
  const share = stage.planned > 0 ? Math.min(1, stage.members / stage.planned) : mark === 'done' ? 1 : 0;
  return (
    <li class="stage" data-mark={mark} data-kind={stage.kind} aria-current={stage.index === release.stage ? 'step' : undefined}>
      <div class="stage-head"><strong><bdi>{stageName(stage)}</bdi></strong><span class="stage-mark">{markWords(mark)}</span></div>
      <div class="stage-track" aria-hidden="true"><i style={{width: `${100 * share}%`}} /></div>
      <div>{stageCount(stage)}</div>
      <div class="muted small-text">{stageAsks(stage).join('; ')}</div>
    </li>
  );
}

const Stages = ({release}: {release: FullRelease}) => (
  <ol class="stages" aria-label="Stages">{release.stages.map((stage) => <StageCard key={stage.index} release={release} stage={stage} />)}</ol>
);

function Reason({release}: {release: FullRelease}) {
  const held = release.stages[release.stage];
  if (waitsForPerson(release) && held) {
    return (
      <div class="note" data-tone="wait" id="reason">
        <p><strong>Stage {stageName(held)} waits for a person.</strong> It goes on when somebody approves it and its gates pass.</p>
        <p class="muted">{release.reason}</p>
      </div>
    );
  }
  const tone = release.state === 'paused' ? 'wait' : release.state === 'complete' ? 'good'
    : isTakenBack(release.state) || ['stopped', 'killed', 'failed_simulation'].includes(release.state) ? 'bad' : '';
  return <div class="note" data-tone={tone} id="reason"><p><Said text={release.reason || 'Nothing happened yet.'} /></p></div>;
}

function Counted({release}: {release: FullRelease}) {
  const all = parts(release.counts);
  return (
    <ul class="figures" aria-label="Devices">
      <li><b>{countText(release.counts.members)}</b> {release.counts.members === 1 ? 'device' : 'devices'}</li>
      {all.filter((part) => part.count > 0 || part.name === 'healthy' || part.name === 'failed').map((part) => (
        <li key={part.name} data-part={part.name}><b>{countText(part.count)}</b> {part.text} <span class="muted">{shareText(part.count, release.counts.members)}</span></li>
      ))}
      {(release.counts.control ?? 0) > 0 && <li><b>{countText(release.counts.control ?? 0)}</b> held back</li>}
    </ul>
  );
}

// New against held back, stage by stage, each with the band that holds the true rate.
function Compared({release}: {release: FullRelease}) {
  const rows = release.stages.filter((stage) => stage.entered_ms > 0 && stage.kind !== 'simulation' && (stage.offered ?? 0) > 0);
  if (rows.length === 0) return null;
  return (
    <Card title="Failure rate by stage" side={<span class="muted">band: 95 % interval</span>}>
      <ul class="rates">
        {rows.map((stage) => {
          const bad = (stage.failed ?? 0) + (stage.silent ?? 0), all = stage.offered ?? 0;
          const [low, high] = interval(bad, all);
          const text = `${bad} of ${all} failed or silent, ${shareText(bad, all)}; between ${shareText(low, 1)} and ${shareText(high, 1)}`;
          return (
            <li key={stage.index}>
              <span class="rate-name"><bdi>{stageName(stage)}</bdi></span>
              <span class="rate-track" role="img" aria-label={text} title={text}>
                <i class="band" style={{left: `${100 * low}%`, width: `${Math.max(0.5, 100 * (high - low))}%`}} />
                <i class="point" style={{left: `${100 * bad / Math.max(1, all)}%`}} />
              </span>
              <span class="rate-text">{bad} of {countText(all)}{stage.held_back ? `, ${countText(stage.held_back)} held back` : ''}</span>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

const MEMBER_COLUMNS: Column<Member>[] = [
  {name: 'Device', width: 'id', narrow: 'title', show: (row) => <Id id={row.device} href={linkTo(['fleet', row.device])} what="device id" copy={false} />},
  {name: 'State', width: 'state', narrow: 'end', show: (row) => { const [text, tone] = memberWords(row); return <Badge tone={tone}>{text}</Badge>; }},
  {name: 'Stage', width: 'number', number: true, narrow: 'hide', show: (row) => String(row.stage + 1)},
  {name: 'Had', width: 'version', show: (row) => row.had_version ? <Said text={row.had_version} /> : ''},
  {name: 'Pulled', width: 'size', show: (row) => row.bytes_pulled > 0 ? `${bytesText(row.bytes_pulled)}${row.was_delta ? ' delta' : ''}` : ''},
  {name: 'By', width: 'number', narrow: 'hide', show: (row) => row.step ? (row.by_push ? 'push' : 'poll') : ''},
  {name: 'Last word', width: 'time', show: (row) => row.step_ms ? <Time ms={row.step_ms} /> : ''},
  {name: 'Error', show: (row) => row.error_text
    ? <span class="bad" title={row.error_text}>{row.error_name && `${row.error_name}: `}<Said text={gist(row.error_text)} /></span> : ''},
];

const membersOf = (id: string) => to('/releases/{id}/members', {path: {id}, query: has('cursor') ? {total: '1'} : {}});

function Members({release}: {release: FullRelease}) {
  const list = useRows<Member>(membersOf(release.id), 'members',
    (event) => event.kind === 'release' && event.value.id === release.id);
  const rows = list.rows ?? [];
  const traces = rows.filter((row) => row.error_text.includes('\n'));
  return (
    <Card title="Devices">
      {list.error && <Problem error={list.error} stale={list.rows !== undefined} />}
      {list.rows === undefined ? <p class="waiting">Reading...</p> : <LongTable label="Devices of the release" id="members" what="devices" columns={MEMBER_COLUMNS}
        rows={rows} keyOf={(row) => row.device} linkOf={(row) => linkTo(['fleet', row.device])} more={list.more} readMore={list.readMore} total={list.total}
        empty="It has reached no device yet." />}
      {traces.length > 0 && <Traces members={traces} />}
    </Card>
  );
}

const MOST_TRACES = 5;

// Errors of scripts have lines; the same text of many devices is shown once.
function Traces({members}: {members: Member[]}) {
  const byText = new Map<string, Member[]>();
  for (const member of members) byText.set(member.error_text, [...(byText.get(member.error_text) ?? []), member]);
  return (
    <div class="stack traces">
      <h3>Errors with their lines</h3>
      {[...byText].sort((a, b) => b[1].length - a[1].length).slice(0, MOST_TRACES).map(([text, who]) => (
        <details key={text} open={byText.size === 1}>
          <summary>{devicesText(who.length)}: {who[0]?.error_name} <Said text={gist(text)} /></summary>
          <pre class="trace"><bdi>{text}</bdi></pre>
        </details>
      ))}
    </div>
  );
}

function Plan({release}: {release: FullRelease}) {
  const rows: [string, preact.ComponentChildren][] = [
    ['Rule', <code><bdi>{release.rule || 'all'}</bdi></code>],
    ['Falls back to', release.fallback_version ? <a href={linkTo(['packages', release.package, release.fallback_version])}>{release.fallback_version}</a> : 'nothing: devices go back to what they had'],
    ['Salt of shares', <span class="id"><code>{release.salt}</code><Copy text={release.salt} what="salt" /></span>],
    ['Made', <Time ms={release.created_ms} />],
  ];
  if (release.trusted_only) rows.push(['Attributes', "the operator's only"]);
  if (release.rate) rows.push(['Rate', `${aMinute(release.rate['per_minute'])}${release.per_minute ? `, now ${aMinute(release.per_minute)}` : ''}`]);
  if (release.retries) rows.push(['Retries', `${release.retries['count']}`]);
  if (release.when) rows.push(['Devices install', <code><bdi>{JSON.stringify(release.when)}</bdi></code>]);
  if (release.stopped_slices?.length) rows.push(['Stopped alone', <span class="bad"><Said text={release.stopped_slices.join(', ')} /></span>]);
  if (release.exclusive?.length) rows.push(['Exclusive files', String(release.exclusive.length)]);
  rows.push(['Id', <Id id={release.id} what="release id" />]);
  return <Card title="Plan"><Facts rows={rows} /></Card>;
}

export function ReleasePage({id}: {id: string; query: URLSearchParams}) {
  const loaded = useLoad<FullRelease>(to('/releases/{id}', {path: {id}, query: {members: '0'}}));
  const {change} = loaded;
  useAhead(id, {link: membersOf(id), more: FIRST_PAGE}, ...(has('series') ? [{link: seriesOf(id)}] : []));
  useEffect(() => onLive((event) => {
    if (event.kind === 'release' && event.value.id === id) change((old) => ({...old, ...event.value, events: mergedEvents(old.events, event.value.events)}));
  }), [id, change]);
  return (
    <Loading of={loaded} missingPage="There is no such release">
      {(release) => (
        <>
          <PageHead title={`${release.package} ${release.version}`} crumbs={[['Releases', '#/releases']]}
            shown={<><a class="quiet" href={linkTo(['packages', release.package, release.version])}><bdi>{release.package} {release.version}</bdi></a> <ReleaseBadge release={release} /></>}
            actions={<Actions release={release} done={loaded.reload} />} />
          <div class="stack">
            <Reason release={release} />
            <Stages release={release} />
            <Counted release={release} />
            {has('series') && <Coverage release={release} />}
            <div class="two">
              <div class="stack"><Evidence release={release} /><Compared release={release} /></div>
              <div class="stack"><Decisions release={release} /><Plan release={release} /></div>
            </div>
            <Members release={release} />
          </div>
        </>
      )}
    </Loading>
  );
}
