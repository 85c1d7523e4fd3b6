// What a release's rows mean, in words. Pure.
import type {Counts, FullRelease, Gate, Member, Release, ReleaseState, Stage} from './api/types';
import type {Tone} from './parts/text';

export const MOVING: ReleaseState[] = ['simulating', 'beta', 'gray', 'full'];
export const isMoving = (state: ReleaseState): boolean => MOVING.includes(state);
export const isTakenBack = (state: ReleaseState): boolean => state === 'rolling_back' || state === 'rolled_back';

const STATE_WORDS: Record<ReleaseState, [string, Tone]> = {
  draft: ['draft', ''], simulating: ['simulating', 'now'], beta: ['beta', 'now'], gray: ['gray', 'now'], full: ['full', 'now'],
  complete: ['complete', 'good'], paused: ['paused', 'wait'], rolling_back: ['rolling back', 'bad'], rolled_back: ['rolled back', 'bad'],
  stopped: ['stopped', 'bad'], failed_simulation: ['failed simulation', 'bad'], superseded: ['superseded', ''], killed: ['killed', 'bad'],
};

// Whether the present stage goes no further until a person agrees.
export const waitsForPerson = (release: Release & {stages?: Stage[]}): boolean => {
  const stage = release.stages?.[release.stage];
  return isMoving(release.state) && Boolean(stage?.hold) && !stage?.approved;
};

export function stateWords(release: Release & {stages?: Stage[]}): [string, Tone] {
  if (waitsForPerson(release)) return ['waits for a person', 'wait'];
  return STATE_WORDS[release.state] ?? [release.state, ''];
}

export const stageName = (stage: {name?: string; kind: string; percent?: number}): string =>
  stage.name || (stage.kind === 'gray' && stage.percent !== undefined ? `gray ${stage.percent} %` : stage.kind);

export type StageMark = 'done' | 'now' | 'held' | 'paused' | 'stopped' | 'back' | 'ahead' | 'never';
const MARK_WORDS: Record<StageMark, string> = {
  done: 'passed', now: 'under way', held: 'waits for a person', paused: 'paused', stopped: 'stopped here', back: 'taken back',
  ahead: 'not yet', never: 'not reached',
};
export const markWords = (mark: StageMark): string => MARK_WORDS[mark];

// How a stage stands. One that was taken back is never shown as passed.
export function stageMark(release: FullRelease, stage: Stage): StageMark {
  const {state} = release;
  if (state === 'complete' || state === 'superseded') return stage.entered_ms ? 'done' : 'never';
  const ended = isTakenBack(state) || ['stopped', 'killed', 'failed_simulation'].includes(state);
  if (!stage.entered_ms) return ended ? 'never' : 'ahead';
  if (stage.kind === 'simulation') return state === 'failed_simulation' ? 'stopped' : stage.index < release.stage ? 'done' : state === 'paused' ? 'paused' : ended ? 'stopped' : 'now';
  if (isTakenBack(state)) return 'back';
  if (stage.index < release.stage) return 'done';
  if (ended) return 'stopped';
  if (state === 'paused') return 'paused';
  return stage.hold && !stage.approved ? 'held' : 'now';
}

// "6 devices; 5 were planned when the stage began": more may join later, so there is no "6 of 5".
export function stageCount(stage: Stage): string {
  if (stage.kind === 'simulation') return 'runs in the server';
  if (!stage.entered_ms) return '';
  const has = `${stage.members} ${stage.members === 1 ? 'device' : 'devices'}`;
  if (stage.planned <= 0) return has;
  if (stage.members > stage.planned) return `${has}, ${stage.members - stage.planned} joined since`;
  return stage.members === stage.planned ? has : `${stage.members} of ${stage.planned} devices`;
}

// What stands between a stage and the next one, as the plan says it.
export function stageAsks(stage: Stage): string[] {
  const parts: string[] = [];
  if (stage.kind === 'beta' && stage.who) parts.push(stage.who);
  if (stage.min_healthy_ms) parts.push(`${Math.round(stage.min_healthy_ms / 1000)} s healthy`);
  if (stage.min_reports) parts.push(`${stage.min_reports} good reports`);
  if (stage.control) parts.push(`${stage.control} % held back to compare`);
  if (stage.hold) parts.push(stage.approved ? 'a person agreed' : 'a person has to agree');
  return parts;
}

export function memberWords(member: Member): [string, Tone] {
  if (member.back) return member.done ? ['went back', ''] : ['going back', 'wait'];
  if (member.control) return ['held back', ''];
  if (member.outcome === 'healthy') return ['healthy', 'good'];
  if (member.outcome === 'failed') return ['failed', 'bad'];
  if (member.overdue) return ['silent', 'bad'];
  return [member.step ? member.step.replaceAll('_', ' ') : 'offered', 'wait'];
}

// Parts of a bar of a release's devices. Who failed stays counted as failed after it went back; who was well and went
// back is not healthy any more.
export function parts(counts: Counts): {name: string; count: number; text: string}[] {
  const failed = Math.min(counts.failed + (counts.overdue ?? 0) + (counts.device_cause ?? 0), counts.members);
  const gone = Math.min(counts.returned ?? 0, counts.members - failed);
  const healthy = Math.max(0, Math.min(counts.healthy, counts.members - failed) - gone);
  return [
    {name: 'healthy', count: healthy, text: 'healthy'}, {name: 'failed', count: failed, text: 'failed or silent'},
    {name: 'open', count: counts.members - failed - gone - healthy, text: 'under way'}, {name: 'back', count: gone, text: 'went back'},
  ];
}

// How far evidence is on its way to the line where it stops, on a log scale: 0 nothing, 1 the line.
export function wayToStop(gate: Gate): number {
  if (gate.stop) return Math.max(1, way(gate));
  return Math.min(way(gate), 0.999);
}
const way = (gate: Gate): number => gate.threshold <= 1 ? (gate.evidence >= gate.threshold ? 1 : 0)
  : Math.max(0, Math.log(Math.max(gate.evidence, 1)) / Math.log(gate.threshold));

export const worstFirst = (gates: Gate[]): Gate[] => [...gates].sort((a, b) =>
  Number(b.stop) - Number(a.stop) || wayToStop(b) - wayToStop(a) || b.failed - a.failed || a.slice.localeCompare(b.slice));

const NEAR = 0.5;  // of the way to the line
export const nearLimit = (gates: Gate[]): Gate[] => worstFirst(gates).filter((gate) => wayToStop(gate) >= NEAR);

// The interval that holds the true rate with 95 % certainty (Wilson 1927).
export function interval(failed: number, all: number): [number, number] {
  if (all === 0) return [0, 1];
  const z = 1.96, rate = failed / all, norm = 1 + z * z / all;
  const middle = (rate + z * z / (2 * all)) / norm;
  const half = z / norm * Math.sqrt(rate * (1 - rate) / all + z * z / (4 * all * all));
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

// Whether devices had a version that was taken back from them, in whichever release: the server then wants it said that it may go out
// again, whatever became of it since.
export const wasTakenBack = (releases: Release[], name: string, version: string): boolean => releases.some((item) =>
  item.package === name && item.version === version && (isTakenBack(item.state) || item.state === 'stopped') && item.counts.members > 0);

// What became of a version so far, newest release first; nothing: it was never released.
export function verdictOf(releases: Release[], name: string, version: string): {release: Release; bad: boolean} | null {
  const last = releases.filter((item) => item.package === name && item.version === version && item.state !== 'draft')
    .sort((a, b) => b.created_ms - a.created_ms)[0];
  if (!last) return null;
  // One that ended before any device had it says nothing against the version.
  const ended = (last.state === 'stopped' || last.state === 'killed') && last.counts.members > 0;
  return {release: last, bad: ended || isTakenBack(last.state) || last.state === 'failed_simulation'};
}
