// Why it moved: a sentence a decision, the numbers behind it folded away.
import type {FullRelease, ReleaseEvent} from '../../api/types';
import {Card} from '../../parts/page';
import {Said, Time} from '../../parts/text';

interface Verdict { gate?: string; slice?: string; metric?: string; decision?: string; reason?: string }

const shown = (value: unknown): string => typeof value === 'number' && !Number.isInteger(value) ? value.toPrecision(4)
  : typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);

function Numbers({numbers}: {numbers: Record<string, unknown>}) {
  const verdicts = Array.isArray(numbers['verdicts']) ? numbers['verdicts'] as Verdict[] : [];
  const rest = Object.entries(numbers).filter(([name]) => name !== 'verdicts');
  if (verdicts.length === 0 && rest.length === 0) return null;
  return (
    <details class="numbers">
      <summary>The numbers</summary>
      {verdicts.length > 0 && <ul>{verdicts.map((verdict, at) => (
        <li key={at}><span class={verdict.decision === 'stop' ? 'bad' : 'muted'}>{verdict.gate} {verdict.decision}</span> <Said text={verdict.reason ?? ''} /></li>
      ))}</ul>}
      {rest.length > 0 && <dl class="facts">{rest.map(([name, value]) => <><dt key={name}>{name.replaceAll('_', ' ')}</dt><dd><bdi>{shown(value)}</bdi></dd></>)}</dl>}
    </details>
  );
}

const BAD = ['stopped', 'failed_simulation', 'killed', 'halted', 'slice_stopped', 'silent'];

const Entry = ({event}: {event: ReleaseEvent}) => (
  <li class="decision" data-kind={BAD.includes(event.kind) ? 'bad' : event.kind}>
    <div class="decision-time muted"><Time ms={event.time_ms} /></div>
    <div class="decision-text"><Said text={event.text.charAt(0).toUpperCase() + event.text.slice(1)} /></div>
    <Numbers numbers={event.numbers} />
  </li>
);

export const Decisions = ({release}: {release: FullRelease}) => (
  <Card title="Why it moved" id="decisions" side={<span class="muted">newest first</span>}>
    <ol class="decisions">{[...release.events].reverse().map((event) => <Entry key={event.seq} event={event} />)}</ol>
  </Card>
);
