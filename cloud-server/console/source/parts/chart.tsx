// A chart of lines over time. Its code comes when it is first needed; its box keeps its height meanwhile.
import {useEffect, useRef} from 'preact/hooks';
import type {ChartView} from '../chart/chart';

export interface Line { name: string; colour: string; values: number[] }
export interface ChartProps { label: string; times: number[]; lines: Line[]; log?: boolean }

export function Chart(props: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<ChartView | null>(null);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    let left = false;
    void import('../chart/chart').then(({drawChart}) => {
      if (!left && place.current) view.current = drawChart(place.current, latest.current);
    });
    return () => { left = true; view.current?.close(); view.current = null; };
  }, []);
  useEffect(() => view.current?.set(props), [props.times.length, props.lines.map((line) => line.values.at(-1)).join()]);
  const last = props.lines.map((line) => `${line.name} ${Math.round(line.values.at(-1) ?? 0)}`).join(', ');
  return <div class="chart" ref={place} role="img" aria-label={`${props.label}; last: ${last}`} />;
}
