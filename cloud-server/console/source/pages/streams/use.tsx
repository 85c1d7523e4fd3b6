// What tasks did on devices and what streams brought up, day by day.
import {to, type Told} from '../../api/calls';
import {useLoad} from '../../api/load';
import {Chart, type Line} from '../../parts/chart';
import {Select} from '../../parts/field';
import {Card, Problem} from '../../parts/page';
import {Table, type Column} from '../../parts/table';
import {Said, bytesText, countText, shareText} from '../../parts/text';
import {linkTo, setQuery} from '../../route';

type Day = Told<'/fleet/use'>['days'][number];
type TaskUse = Day['tasks'][string][string];
interface TaskLine extends TaskUse { package: string; version: string }

const DAYS = 30, MOST_LINES = 4;
const COLOURS = ['--accent', '--good', '--wait', '--bad'];

export const dayTimes = (days: string[]): number[] => days.map((day) => Date.parse(`${day}T00:00:00Z`) / 1000);

// The largest as lines of their own, the rest as one.
export function largest(names: Map<string, number[]>): Line[] {
  const sum = (values: number[]) => values.reduce((all, value) => all + value, 0);
  const order = [...names].sort(([a, x], [b, y]) => sum(y) - sum(x) || (a < b ? -1 : 1));
  const lines: Line[] = order.slice(0, MOST_LINES).map(([name, values], at) => ({name, colour: COLOURS[at] ?? '--muted', values}));
  const rest = order.slice(MOST_LINES).map(([, values]) => values);
  if (rest.length > 0) lines.push({name: `${rest.length} others`, colour: '--muted', values: (rest[0] ?? []).map((_, at) => sum(rest.map((values) => values[at] ?? 0)))});
  return lines;
}

function bytesByStream(days: Day[]): Map<string, number[]> {
  const names = new Map<string, number[]>();
  days.forEach((day, at) => Object.entries(day.streams).forEach(([name, use]) => {
    const values = names.get(name) ?? days.map(() => 0);
    values[at] = use.bytes / 1e6;
    names.set(name, values);
  }));
  return names;
}

const ofPackage = (day: Day, name: string, what: keyof TaskUse): number =>
  Object.entries(day.tasks).filter(([task]) => !name || task === name).reduce((all, [, versions]) => all + Object.values(versions).reduce((sum, use) => sum + use[what], 0), 0);

const COLUMNS: Column<TaskLine>[] = [
  {name: 'Task', narrow: 'title', show: (row) => <a href={linkTo(['packages', row.package, row.version])}><bdi>{row.package} {row.version}</bdi></a>},
  {name: 'Devices', number: true, narrow: 'end', show: (row) => countText(row.devices)},
  {name: 'Events', number: true, show: (row) => countText(row.events)},
  {name: 'Trigger hits', number: true, show: (row) => `${countText(row.starts)}, ${shareText(row.starts, row.events)}`},
  {name: 'Failed', number: true, show: (row) => row.failures > 0 ? <span class="bad">{countText(row.failures)}</span> : '0'},
  {name: 'Model runs', number: true, narrow: 'hide', show: (row) => countText(row.inferences)},
];

export function UseCharts({query}: {query: URLSearchParams}) {
  const loaded = useLoad(to('/fleet/use', {query: {days: DAYS}}));
  if (loaded.error) return <Problem error={loaded.error} stale={loaded.value !== undefined} />;
  const days = loaded.value?.days ?? [], last = days.at(-1);
  if (!last) return null;
  const names = [...new Set(days.flatMap((day) => Object.keys(day.tasks)))].sort();
  const asked = query.get('task') ?? '', name = names.includes(asked) ? asked : '';
  const times = dayTimes(days.map((day) => day.day));
  const rows = Object.entries(last.tasks).flatMap(([task, versions]) => Object.entries(versions).map(([version, use]) => ({...use, package: task, version})));
  const streams = bytesByStream(days);
  return (
    <>
      {days.length > 1 && (
        <div class="two">
          <Card title="Events" id="events"><Chart key={name} label={`Events that ${name || 'all tasks'} saw by day`} times={times}
            lines={[{name: 'events', colour: '--accent', values: days.map((day) => ofPackage(day, name, 'events'))}]} /></Card>
          <Card title="Trigger hits" id="hits" side={names.length > 1 && <Select label="Task" value={name} onInput={(task) => setQuery({task})} options={[['', 'all tasks'], ...names.map((one): [string, string] => [one, one])]} />}>
            <Chart key={name} label={`Starts of ${name || 'all tasks'} by day, and those that failed`} times={times} lines={[
              {name: 'trigger hits', colour: '--good', values: days.map((day) => ofPackage(day, name, 'starts'))},
              {name: 'failed', colour: '--bad', values: days.map((day) => ofPackage(day, name, 'failures'))}]} />
          </Card>
          {streams.size > 0 && <Card title="Uplink" id="uplink" side={<span class="muted">MB a day</span>}>
            <Chart label="Megabytes that streams brought up by day" times={times} lines={largest(streams)} /></Card>}
        </div>
      )}
      <Card title="Tasks today" id="task-use" side={<span class="muted"><Said text={last.day} />, as devices told; up {bytesText(Object.values(last.streams).reduce((all, use) => all + use.bytes, 0))}</span>}>
        <Table label="What tasks did today" columns={COLUMNS} rows={rows.sort((a, b) => b.events - a.events)} keyOf={(row) => `${row.package} ${row.version}`}
          empty="No device has told of a task yet: the first word comes a minute after a second run." />
      </Card>
    </>
  );
}
