// Tasks: what came from git, from commit to devices.
import {to} from '../../api/calls';
import {useLoad} from '../../api/load';
import {has, may} from '../../api/session';
import {Card, Loading, PageHead} from '../../parts/page';
import {Table, type Column} from '../../parts/table';
import {Badge, Copy, Said, Time, countText} from '../../parts/text';
import {linkTo} from '../../route';
import type {PageProps} from '../list';
import {TryPage} from './try';

interface Version { version: string; release_counter: number; tag: string; commit: string }
interface Scenarios { scenarios: {scenario: string; tasks: {task: string; versions: Version[]}[]}[] }
interface LogRow {
  version: string; release_counter: number; git: {scenario: string; task: string; tag: string; commit: string} | null; withdrawn?: string; published_ms: number | null;
  releases: {id: string; state: string; created_ms: number; devices: number; confirmed: number; failed: number; back: number}[];
}

const commit = (text: string) => <span class="id"><code>{text.slice(0, 12)}</code><Copy text={text} what="commit" /></span>;

const LOG: Column<LogRow>[] = [
  {name: 'Version', narrow: 'title', show: (row) => <bdi>{row.version}</bdi>},
  {name: 'Tag', narrow: 'end', show: (row) => row.git ? <Said text={row.git.tag} /> : <span class="muted">no git</span>},
  {name: 'Commit', show: (row) => row.git ? commit(row.git.commit) : ''},
  {name: 'Published', show: (row) => row.published_ms === null ? <span class="muted">not known</span> : <Time ms={row.published_ms} />},
  {name: 'Releases', show: (row) => row.withdrawn ? <span class="bad">withdrawn: <Said text={row.withdrawn} /></span> : (
    <ul>{row.releases.map((release) => <li key={release.id}><a href={linkTo(['releases', release.id])}><bdi>{release.id}</bdi></a> <Badge>{release.state.replaceAll('_', ' ')}</Badge>
      <span class="muted"> {countText(release.confirmed)} of {countText(release.devices)} confirmed, {countText(release.failed)} failed, {countText(release.back)} back</span></li>)}</ul>)},
];

function TaskLog({name}: {name: string}) {
  const log = useLoad(to('/tasks/{package}/log', {path: {package: name}}), (event) => event.kind === 'release');
  return (
    <>
      <PageHead title={`Task ${name}`} shown={<bdi>{name}</bdi>} crumbs={[['Tasks', '#/tasks']]} under="From commit to devices, newest first."
        actions={has('drafts') && may('read') && <a class="button primary" id="open-try" href={linkTo(['tasks', name, 'try'])}>Write and try</a>} />
      <Loading of={log} missingPage="There is no such package">
        {(shown) => <Table label="Log of the task" id="task-log" columns={LOG} rows={shown.log} keyOf={(row) => row.version} />}
      </Loading>
    </>
  );
}

export function TasksPage({path, query}: PageProps) {
  if (path[0] && path[1] === 'try') return <TryPage key={path[0]} name={path[0]} base={query.get('base') ?? ''} />;
  return path[0] ? <TaskLog name={path[0]} /> : <TaskList />;
}

function TaskList() {
  const list = useLoad(to('/tasks'), (event) => event.kind === 'status');
  return (
    <>
      <PageHead title="Tasks" under="Scripts that were published from git, by scenario." />
      <Loading of={list}>
        {(shown) => shown.scenarios.length === 0
          ? <p class="empty">No task came from git yet: ferry publish --git REPOSITORY --tag TASK/VERSION</p>
          : <div class="stack">{shown.scenarios.map((scenario) => (
            <Card key={scenario.scenario} title={scenario.scenario || 'No scenario'}>
              <Table label={`Tasks of ${scenario.scenario}`} columns={TASKS} rows={scenario.tasks} keyOf={(row) => row.task} linkOf={(row) => linkTo(['tasks', row.task])} />
            </Card>
          ))}</div>}
      </Loading>
    </>
  );
}

const TASKS: Column<Scenarios['scenarios'][number]['tasks'][number]>[] = [
  {name: 'Task', narrow: 'title', show: (row) => <a href={linkTo(['tasks', row.task])}><bdi>{row.task}</bdi></a>},
  {name: 'Newest', narrow: 'end', show: (row) => <bdi>{row.versions[0]?.version ?? '-'}</bdi>},
  {name: 'Tag', show: (row) => <Said text={row.versions[0]?.tag ?? ''} />},
  {name: 'Commit', show: (row) => row.versions[0] ? commit(row.versions[0].commit) : ''},
  {name: 'Versions', number: true, show: (row) => String(row.versions.length)},
];
