// uPlot with the console's colours. A part of its own of the bundle.
import uPlot from 'uplot';
import type {ChartProps} from '../parts/chart';

export interface ChartView { set: (props: ChartProps) => void; close: () => void }

const HEIGHT = 200;

const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const dataOf = (props: ChartProps): uPlot.AlignedData => [props.times, ...props.lines.map((line) => line.values)];

export function drawChart(place: HTMLElement, props: ChartProps): ChartView {
  const axis = {stroke: colour('--muted'), grid: {stroke: colour('--line'), width: 1}, ticks: {stroke: colour('--line'), width: 1}};
  const plot = new uPlot({
    width: Math.max(200, place.clientWidth), height: HEIGHT - 30,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    legend: {live: true}, cursor: {drag: {x: false, y: false}},
    scales: {x: {time: true}, y: props.log ? {distr: 3, log: 10, range: (_plot, _low, high) => [1, Math.max(1000, high)]} : {range: (_plot, _low, high) => [0, Math.max(1, high * 1.05)]}},
    axes: [axis, {...axis, size: 56}],
    series: [{label: 'time (UTC)'}, ...props.lines.map((line) => ({label: line.name, stroke: colour(line.colour), width: 2, points: {show: false}}))],
  }, dataOf(props), place);
  const watcher = new ResizeObserver(() => plot.setSize({width: Math.max(200, place.clientWidth), height: HEIGHT - 30}));
  watcher.observe(place);
  return {set: (next) => plot.setData(dataOf(next)), close: () => { watcher.disconnect(); plot.destroy(); }};
}
