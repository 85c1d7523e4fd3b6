// Small pieces of text: states, times, sizes, shares, ids.
import type {ComponentChildren} from 'preact';
import {say} from './toast';

export type Tone = 'good' | 'bad' | 'wait' | 'now' | '';

export const Badge = ({tone = '', children}: {tone?: Tone; children: ComponentChildren}) => <span class={`badge ${tone}`}>{children}</span>;

const two = (value: number) => String(value).padStart(2, '0');

// One form everywhere, in UTC as in the command line and the audit log: two people in two places speak of the same time.
export function timeText(ms: number): string {
  const date = new Date(ms);
  return `${date.getUTCFullYear()}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())} ` +
    `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())} UTC`;
}

const STEPS: [number, string][] = [[86_400_000, 'd'], [3_600_000, 'h'], [60_000, 'min'], [1_000, 's']];
export function spanText(ms: number): string {
  for (const [size, unit] of STEPS) if (Math.abs(ms) >= size) return `${Math.floor(Math.abs(ms) / size)} ${unit}`;
  return '0 s';
}

export function Time({ms}: {ms: number | null | undefined}) {
  if (!ms) return <span class="muted">never</span>;
  return <time class="nowrap" dateTime={new Date(ms).toISOString()} title={new Date(ms).toString()}>{timeText(ms)}</time>;
}

export function Ago({ms, now}: {ms: number | null | undefined; now?: number}) {
  if (!ms) return <span class="muted">never</span>;
  const passed = (now ?? Date.now()) - ms;
  const text = passed < 0 ? `in ${spanText(passed)}` : passed < 5_000 ? 'now' : `${spanText(passed)} ago`;
  return <time class="nowrap" dateTime={new Date(ms).toISOString()} title={timeText(ms)}>{text}</time>;
}

export function bytesText(count: number | null | undefined): string {
  if (count === null || count === undefined || count < 0) return '-';
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = count, at = 0;
  while (value >= 1024 && at < units.length - 1) { value /= 1024; at += 1; }
  return `${at === 0 ? value : value.toFixed(value < 10 ? 1 : 0)} ${units[at]}`;
}

// By hand: the browser's own formats of numbers and dates take 40 ms to begin, before anything is seen.
export const countText = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ' ');

export function shareText(part: number, whole: number): string {
  if (whole <= 0) return '0 %';
  const percent = 100 * part / whole;
  if (part > 0 && percent < 0.1) return 'under 0.1 %';
  if (part < whole && percent > 99.9) return 'over 99.9 %';
  return `${percent < 10 && percent % 1 !== 0 ? percent.toFixed(1) : Math.round(percent)} %`;
}

export const devicesText = (count: number): string => `${countText(count)} ${count === 1 ? 'device' : 'devices'}`;

export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say('Copied.');
  } catch {
    say('This browser does not let the page copy.', 'bad');
  }
}

export function Copy({text, what}: {text: string; what: string}) {
  return (
    <button type="button" class="copy" title={`Copy ${what}`} aria-label={`Copy ${what}`}
      onClick={(event) => { event.stopPropagation(); event.preventDefault(); void copyText(text); }}>
      <svg viewBox="0 0 16 16" aria-hidden="true"><rect x="5.5" y="5.5" width="8" height="8" rx="1" /><path d="M10.5 5V2.5h-8v8H5" /></svg>
    </button>
  );
}

const SHORT = 12;
export const shortId = (id: string): string => id.length > SHORT + 4 && /^[0-9a-f]+$/.test(id) ? id.slice(0, SHORT) : id;

// An id, short where it is a hash, with its whole text to copy and as a title.
export function Id({id, href, what = 'id', copy = true}: {id: string; href?: string; what?: string; copy?: boolean}) {
  const text = <bdi title={id}>{shortId(id)}</bdi>;
  return <span class="id">{href ? <a href={href}>{text}</a> : text}{copy && <Copy text={id} what={what} />}</span>;
}

// Text that came from a device or from another person: its marks of direction reach no further.
export const Said = ({text}: {text: string}) => <bdi>{text}</bdi>;

// The line of an error that says most: of a traceback the last, of others the first, under which the place is drawn.
export function gist(text: string): string {
  const lines = text.trimEnd().split('\n');
  return (lines[0]?.startsWith('Traceback') ? lines.at(-1) : lines[0]) ?? '';
}
