// What the fleet runs, by package: now, and over days.
import {useState} from 'preact/hooks';
import {to} from '../api/calls';
import {has} from '../api/session';
import {useLoad} from '../api/load';
import {Chart} from '../parts/chart';
import {Select} from '../parts/field';
import {Card} from '../parts/page';
import {countText, shareText} from '../parts/text';

export interface Day { day: string; devices: number; packages: Record<string, Record<string, number>> }
interface DayLine { name: string; values: number[] }

const COLOURS = ['--accent', '--good', '--wait', '--bad'];
const DAYS = 30;

// The versions of a package that most devices ran at the end, newest shares first; the rest as one line.
export function linesOf(days: Day[], name: string): DayLine[] {
  const last = new Map<string, number>();
  for (const day of days) for (const version of Object.keys(day.packages[name] ?? {})) last.set(version, 0);
  for (const version of last.keys()) last.set(version, days.at(-1)?.packages[name]?.[version] ?? 0);
  const order = [...last].sort(([a, x], [b, y]) => y - x || (a < b ? 1 : -1)).map(([version]) => version);
  const shown = order.slice(0, COLOURS.length), rest = order.slice(COLOURS.length);
  const count = (day: Day, version: string) => day.packages[name]?.[version] ?? 0;
  const lines = shown.map((version) => ({name: version || 'none', values: days.map((day) => count(day, version))}));
  if (rest.length > 0) lines.push({name: `${rest.length} others`, values: days.map((day) => rest.reduce((sum, version) => sum + count(day, version), 0))});
  return lines;
}

const fleetDays = to('/fleet/days', {query: {days: DAYS}}), fleetNow = to('/devices/facets');
// What the two cards read.
export const versionLinks = () => [...(has('fleet_days') ? [{link: fleetDays}] : []), ...(has('facets') ? [{link: fleetNow}] : [])];

export function VersionDays() {
  const loaded = useLoad(fleetDays);
  const [chosen, setChosen] = useState('');
  const days = loaded.value?.days ?? [];
  const names = [...new Set(days.flatMap((day) => Object.keys(day.packages)))].sort();
  const name = names.includes(chosen) ? chosen : names[0];
  if (days.length < 2 || name === undefined) return null;
  const times = days.map((day) => Date.parse(`${day.day}T00:00:00Z`) / 1000);
  const lines = [{name: 'all devices', colour: '--ink', values: days.map((day) => day.devices)},
    ...linesOf(days, name).map((line, at) => ({...line, colour: COLOURS[at] ?? '--muted'}))];
  return (
    <Card title="Versions over days" id="version-days" side={names.length > 1 && <Select label="Package" value={name} onInput={setChosen} options={names.map((one) => [one, one])} />}>
      {names.length === 1 && <h3><bdi>{name}</bdi></h3>}
      <Chart key={name} label={`Devices by version of ${name} over the last ${days.length} days`} times={times} lines={lines} />
    </Card>
  );
}

// At this moment.
function VersionsNow({devices}: {devices: number}) {
  const facets = useLoad(fleetNow, (event) => event.kind === 'release');
  // "digits/1.0.0": a package's versions stand together.
  const byPackage = new Map<string, {value: string; count: number}[]>();
  for (const {value, count} of facets.value?.facets['running'] ?? []) {
    const [name = '', version = ''] = value.split('/');
    byPackage.set(name, [...(byPackage.get(name) ?? []), {value: version, count}]);
  }
  const all = [...byPackage];
  // Its place is kept, so that nothing jumps when the counts come.
  if (!facets.value && !facets.error) return <Card title="The fleet by version" id="versions"><p class="waiting">Counting...</p></Card>;
  if (all.length === 0) return null;
  return (
    <Card title="The fleet by version" id="versions">
      {all.map(([name, values]) => (
        <div key={name} class="versions">{name && <h3><bdi>{name}</bdi></h3>}
          <ul>{values.map(({value, count}) => (
            <li key={value}><span><bdi>{value || 'none'}</bdi></span><span class="bar" aria-hidden="true"><i class="open" style={{width: `${100 * count / Math.max(1, devices)}%`}} /></span>
              <span class="number">{countText(count)} <span class="muted">{shareText(count, devices)}</span></span></li>
          ))}</ul>
        </div>
      ))}
    </Card>
  );
}

export const Versions = ({devices}: {devices: number}) => (
  <>{has('fleet_days') && <VersionDays />}{has('facets') && <VersionsNow devices={devices} />}</>
);
