// Campaigns: several releases in order, as one thing.
import {send, to} from '../../api/calls';
import {useLoad, useRows} from '../../api/load';
import {may, type Right} from '../../api/session';
import type {Campaign, CampaignRelease, FullCampaign} from '../../api/types';
import {Button} from '../../parts/button';
import {askFor} from '../../parts/dialog';
import {Card, Facts, Loading, PageHead} from '../../parts/page';
import {LongTable, Table, type Column} from '../../parts/table';
import {Ago, Badge, Said, Time, countText, type Tone} from '../../parts/text';
import {say} from '../../parts/toast';
import {linkTo, setQuery} from '../../route';

const STATES: Record<Campaign['state'], [string, Tone]> = {
  waiting: ['waits for its start', ''], running: ['under way', 'wait'], paused: ['paused', 'wait'], complete: ['complete', 'good'], stopped: ['stopped', 'bad'],
  halted: ['halted', 'bad'], rolling_back: ['rolling back', 'bad'], rolled_back: ['rolled back', 'bad'], killed: ['killed', 'bad'],
};
const CampaignBadge = ({state}: {state: Campaign['state']}) => { const [text, tone] = STATES[state] ?? [state, '']; return <Badge tone={tone}>{text}</Badge>; };

const COLUMNS: Column<Campaign>[] = [
  {name: 'Campaign', width: 'wide', narrow: 'title', sort: 'name', show: (row) => <a href={linkTo(['releases', 'campaigns', row.id])} title={row.id}><bdi>{row.name}</bdi></a>},
  {name: 'State', width: 'state', narrow: 'end', sort: 'state', show: (row) => <CampaignBadge state={row.state} />},
  {name: 'Releases', width: 'number', number: true, show: (row) => countText(row.started_releases.length)},
  {name: 'Why it stands there', narrow: 'hide', show: (row) => <bdi title={row.reason}>{row.reason}</bdi>},
  {name: 'By', width: 'short', sort: 'by', show: (row) => <bdi>{row.by}</bdi>},
  {name: 'Made', width: 'ago', sort: 'created_ms', show: (row) => <Ago ms={row.created_ms} />},
];

export function CampaignList({query}: {query: URLSearchParams}) {
  const sort = query.get('sort') ?? '';
  const list = useRows<Campaign>(to('/campaigns', {query: {total: '1', sort}}), 'campaigns', (event) => event.kind === 'release');
  return (
    <>
      <PageHead title="Campaigns" crumbs={[['Releases', '#/releases']]} under="Several releases in order: the next begins when the one before is through." />
      <Loading of={{value: list.rows, error: list.error}}>
        {(rows) => <LongTable label="Campaigns" id="campaigns" what="campaigns" columns={COLUMNS} rows={rows} keyOf={(row) => row.id}
          linkOf={(row) => linkTo(['releases', 'campaigns', row.id])} more={list.more} readMore={list.readMore} total={list.total} sort={sort} onSort={(value) => setQuery({sort: value})}
          empty="No campaign yet. Start one with: ferry campaign start FILE" />}
      </Loading>
    </>
  );
}

interface Order { verb: 'resume' | 'pause' | 'retry' | 'halt' | 'rollback' | 'kill'; name: string; right: Right; danger?: boolean; when: (state: Campaign['state']) => boolean; says: string }
const OPEN: Campaign['state'][] = ['waiting', 'running', 'paused'];
const ORDERS: Order[] = [
  {verb: 'resume', name: 'Resume', right: 'release', when: (state) => state === 'paused', says: 'The releases that it paused go on.'},
  {verb: 'pause', name: 'Pause', right: 'stop', when: (state) => state === 'waiting' || state === 'running', says: 'Its releases pause, and no further one starts.'},
  {verb: 'retry', name: 'Retry failed devices', right: 'release', when: (state) => state === 'running', says: 'Devices on which one of its releases failed are offered it again.'},
  {verb: 'halt', name: 'Halt', right: 'stop', danger: true, when: (state) => OPEN.includes(state), says: 'It ends here: devices keep what they have, no other device gets anything of it.'},
  {verb: 'rollback', name: 'Roll back', right: 'stop', danger: true, when: (state) => [...OPEN, 'stopped', 'complete', 'halted'].includes(state), says: 'All of its releases go back, also complete ones.'},
  {verb: 'kill', name: 'Kill: run it nowhere', right: 'stop', danger: true, when: (state) => [...OPEN, 'stopped', 'complete'].includes(state), says: 'What its releases gave is disabled on every device.'},
];

const RELEASE_COLUMNS: Column<CampaignRelease>[] = [
  {name: 'Package', narrow: 'title', show: (row) => row.release ? <a href={linkTo(['releases', row.release])}><bdi>{row.package} {row.version}</bdi></a> : <bdi>{row.package} {row.version}</bdi>},
  {name: 'State', width: 'state', narrow: 'end', show: (row) => row.state ? <Badge tone="">{row.state.replaceAll('_', ' ')}</Badge> : <span class="muted">not yet</span>},
  {name: 'Begins after', width: 'short', show: (row) => row.after === 'first_stage' ? 'a first stage' : 'complete'},
  {name: 'Offered', width: 'number', number: true, show: (row) => row.offered === undefined ? '-' : countText(row.offered)},
  {name: 'Confirmed', width: 'number', number: true, show: (row) => row.confirmed === undefined ? '-' : countText(row.confirmed)},
  {name: 'Failed', width: 'number', number: true, show: (row) => row.failed ? <span class="bad">{countText(row.failed)}</span> : row.failed ?? '-'},
  {name: 'Why it stands there', narrow: 'hide', show: (row) => <Said text={row.reason ?? ''} />},
];

function Orders({campaign, done}: {campaign: FullCampaign; done: () => Promise<void>}) {
  const ask = (order: Order) => askFor({
    title: `${order.name}: ${campaign.name}?`, facts: <p>{order.says}</p>, action: order.name, danger: order.danger === true, reason: true,
    work: async ({why, key}) => {
      await send(`/campaigns/{id}/${order.verb}`, {path: {id: campaign.id}, body: why ? {why} : {}, key});
      say(`${order.name}: done.`);
      await done();
    },
  });
  return <>{ORDERS.filter((order) => may(order.right) && order.when(campaign.state)).map((order) =>
    <Button key={order.verb} id={`campaign-${order.verb}`} kind={order.danger ? 'danger' : ''} onPress={() => ask(order)}>{order.name}</Button>)}</>;
}

export function CampaignPage({id}: {id: string}) {
  const loaded = useLoad(to('/campaigns/{id}', {path: {id}}), (event) => event.kind === 'release' || event.kind === 'status');
  return (
    <Loading of={loaded}>
      {(campaign) => (
        <>
          <PageHead title={campaign.name} shown={<><bdi>{campaign.name}</bdi> <CampaignBadge state={campaign.state} /></>} crumbs={[['Releases', '#/releases'], ['Campaigns', '#/releases/campaigns']]}
            actions={<Orders campaign={campaign} done={loaded.reload} />} under={<Said text={campaign.reason} />} />
          <div class="stack">
            <Card title="Releases, in order"><Table label="Releases of the campaign" id="campaign-releases" columns={RELEASE_COLUMNS} rows={campaign.releases} keyOf={(row) => `${row.package} ${row.version}`} empty="It has no release." /></Card>
            <Card title="Plan"><Facts rows={[
              ['Start', campaign.start_ms ? <Time ms={campaign.start_ms} /> : 'at once'], ['Deadline', campaign.deadline_ms ? <Time ms={campaign.deadline_ms} /> : 'none'],
              ['When one stops', campaign.on_stop === 'rollback_all' ? 'all go back' : 'the campaign stops'], ['Made', <><Time ms={campaign.created_ms} /> by <bdi>{campaign.by}</bdi></>]]} /></Card>
            <Card title="Why it moved"><ul class="recent">{[...campaign.events].reverse().map((event) => <li key={event.seq}><Said text={event.text} /> <span class="muted"><Time ms={event.time_ms} /></span></li>)}</ul></Card>
          </div>
        </>
      )}
    </Loading>
  );
}
