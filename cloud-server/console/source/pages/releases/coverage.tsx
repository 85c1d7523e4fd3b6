// Devices over time, from the points that the server keeps of a release.
import {to} from '../../api/calls';
import {useLoad} from '../../api/load';
import type {FullRelease} from '../../api/types';
import {Chart} from '../../parts/chart';
import {Card, Problem} from '../../parts/page';

export const seriesOf = (id: string) => to('/releases/{id}/series', {path: {id}});

export function Coverage({release}: {release: FullRelease}) {
  const series = useLoad(seriesOf(release.id), (event) => event.kind === 'release' && event.value.id === release.id);
  const points = series.value?.points ?? [];
  if (series.error && !series.value) return <Problem error={series.error} />;
  if (points.length < 2) return null;
  // How far the worst slice was on its way to its line at each moment.
  const worst = points.map((point) => Math.max(1, ...Object.values(point.evidence).map(([value = 1, line = 1]) => line > 1 ? 100 ** (Math.log(Math.max(1, value)) / Math.log(line)) : 1)));
  const times = points.map((point) => point.time_ms / 1000);
  return (
    <div class="two">
      <Card title="Coverage">
        <Chart label="Devices over time" times={times} lines={[
          {name: 'devices', colour: '--accent', values: points.map((point) => point.members)},
          {name: 'healthy', colour: '--good', values: points.map((point) => point.healthy)},
          {name: 'failed', colour: '--bad', values: points.map((point) => point.failed)}]} />
      </Card>
      <Card title="Worst slice's evidence" side={<span class="muted">100: it stops</span>}>
        <Chart label="Evidence of the worst slice over time, on a log scale" log times={times} lines={[
          {name: 'evidence', colour: '--wait', values: worst}, {name: 'stop line', colour: '--bad', values: points.map(() => 100)}]} />
      </Card>
    </div>
  );
}
