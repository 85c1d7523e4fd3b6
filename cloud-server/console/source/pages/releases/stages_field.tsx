// The stages of a plan, one a row, in the order that they run.
import type {PlanStage} from '../../api/types';
import {Input} from '../../parts/field';
import {RuleEditor} from '../../parts/rule';

export interface StageRow { kind: string; who: string; percent: string; healthy: string; reports: string; control: string; hold: boolean }

export const newStage = (kind: string, percent = ''): StageRow =>
  ({kind, who: kind === 'beta' ? 'tag("beta")' : '', percent, healthy: kind === 'simulation' ? '' : '60', reports: '', control: '', hold: false});

// What a person begins with who writes stages: what the server would take, as far as it tells; else one of each kind.
export const firstStages = (): StageRow[] => [newStage('simulation'), newStage('beta'), newStage('gray', '10'), newStage('gray', '50'), newStage('full')];

const textOf = (value: number | undefined): string => value === undefined || value === 0 ? '' : String(value);
export const stageRow = (stage: PlanStage): StageRow => ({kind: stage.kind, who: stage.who ?? '', percent: textOf(stage.percent), healthy: textOf(stage.min_healthy_ms && stage.min_healthy_ms / 1000),
  reports: textOf(stage.min_reports), control: textOf(stage.control), hold: stage.hold ?? false});

const numberOf = (text: string): number | undefined => text.trim() === '' ? undefined : Number(text.replace(',', '.'));

export function stageBody(row: StageRow): PlanStage {
  const out: PlanStage = {kind: row.kind as PlanStage['kind']};
  if (row.kind === 'beta') out.who = row.who;
  if (row.kind === 'gray') out.percent = numberOf(row.percent) ?? 0;
  if (row.kind === 'simulation') return out;
  const healthy = numberOf(row.healthy), reports = numberOf(row.reports), control = numberOf(row.control);
  if (healthy !== undefined) out.min_healthy_ms = Math.round(healthy * 1000);
  if (reports !== undefined) out.min_reports = Math.round(reports);
  if (control !== undefined) out.control = control;
  if (row.hold) out.hold = true;
  return out;
}

// What the page can see by itself before it asks; the server decides.
export function stageWrong(row: StageRow): string | undefined {
  for (const [name, text] of [['seconds healthy', row.healthy], ['good reports', row.reports], ['percent held back', row.control]] as const) {
    const value = numberOf(text);
    if (value !== undefined && (!Number.isFinite(value) || value < 0)) return `${name}: not a number from 0`;
  }
  const percent = numberOf(row.percent);
  if (row.kind === 'gray' && (percent === undefined || !Number.isFinite(percent) || percent <= 0 || percent >= 100)) return 'share: a number above 0 and under 100';
  return undefined;
}

export function StagesField({rows, onInput, wrongAt, wrong}: {rows: StageRow[]; onInput: (rows: StageRow[]) => void; wrongAt?: number; wrong?: string}) {
  const change = (at: number, part: Partial<StageRow>) => onInput(rows.map((row, index) => index === at ? {...row, ...part} : row));
  const move = (at: number, by: number) => {
    const next = [...rows];
    const [row] = next.splice(at, 1);
    if (row) next.splice(at + by, 0, row);
    onInput(next);
  };
  return (
    <ol class="stage-rows">
      {rows.map((row, at) => (
        <li key={at} class="stage-row">
          <div class="stage-row-head">
            <strong>{at + 1}.</strong>
            <select class="input" aria-label={`Kind of stage ${at + 1}`} value={row.kind} onChange={(event) => change(at, {...newStage(event.currentTarget.value), hold: row.hold})}>
              {['simulation', 'beta', 'gray', 'full'].map((kind) => <option key={kind} value={kind}>{kind}</option>)}
            </select>
            <span class="stage-row-buttons">
              <button type="button" class="button plain small" aria-label={`Stage ${at + 1} up`} disabled={at === 0} onClick={() => move(at, -1)}>↑</button>
              <button type="button" class="button plain small" aria-label={`Stage ${at + 1} down`} disabled={at === rows.length - 1} onClick={() => move(at, 1)}>↓</button>
              <button type="button" class="button plain small" aria-label={`Remove stage ${at + 1}`} disabled={rows.length === 1} onClick={() => onInput(rows.filter((_, index) => index !== at))}>✕</button>
            </span>
          </div>
          {row.kind === 'beta' && <RuleEditor label="Devices of this stage" value={row.who} lines={1} onInput={(who) => change(at, {who})} wrong={wrongAt === at && wrong ? {text: wrong} : undefined} />}
          {row.kind !== 'simulation' && (
            <div class="stage-row-fields">
              {row.kind === 'gray' && <Input label="Share, %" value={row.percent} inputMode="decimal" onInput={(percent) => change(at, {percent})} />}
              <Input label="Seconds healthy" value={row.healthy} inputMode="decimal" onInput={(healthy) => change(at, {healthy})} />
              <Input label="Good reports" value={row.reports} inputMode="numeric" placeholder="a tenth" onInput={(reports) => change(at, {reports})} />
              <Input label="Held back, %" value={row.control} inputMode="decimal" placeholder="none" onInput={(control) => change(at, {control})} />
              <label class="choice"><input type="checkbox" checked={row.hold} onChange={(event) => change(at, {hold: event.currentTarget.checked})} /><span>Waits for a person</span></label>
            </div>
          )}
          {wrongAt === at && wrong && row.kind !== 'beta' && <div class="wrong" role="alert">{wrong}</div>}
        </li>
      ))}
      <li><button type="button" class="button small" onClick={() => onInput([...rows.slice(0, -1), newStage('gray', '25'), ...rows.slice(-1)])}>Add a stage</button></li>
    </ol>
  );
}
