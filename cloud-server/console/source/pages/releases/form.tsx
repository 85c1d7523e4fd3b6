// The form of a new release: package, who, how, and beside it whom that reaches as the server sees it now.
import {useEffect, useMemo, useRef, useState} from 'preact/hooks';
import {send, to, type Body} from '../../api/calls';
import {ApiError, reachable} from '../../api/client';
import {session} from '../../api/session';
import type {Package, Preview, Release} from '../../api/types';
import {status} from '../../live/client';
import {useLoad} from '../../api/load';
import {Button} from '../../parts/button';
import {askFor} from '../../parts/dialog';
import {Check, Input, Radio, Select} from '../../parts/field';
import {Card} from '../../parts/page';
import {RuleEditor} from '../../parts/rule';
import {say} from '../../parts/toast';
import {Badge, Said, Time, devicesText, shareText, shortId} from '../../parts/text';
import {stateWords, verdictOf, wasTakenBack} from '../../release';
import {useDraft} from '../../draft';
import {go, linkTo} from '../../route';
import {useStore} from '../../store';
import {firstStages, stageBody, stageRow, StagesField, stageWrong, type StageRow} from './stages_field';

interface Draft {
  which: string; who: '' | 'rule' | 'all'; rule: string; trusted: boolean; plan: 'standard' | 'own'; stages: StageRow[]; salt: string;
  again: boolean; rate: string; retries: string; tolerated: string; slices: boolean; from: string; to: string; idle: boolean; charging: boolean; unmetered: boolean;
}

const start = (which: string): Draft => ({which, who: '', rule: '', trusted: false, plan: 'standard', stages: firstStages(), salt: '', again: false, rate: '',
  retries: '', tolerated: '', slices: false, from: '', to: '', idle: false, charging: false, unmetered: false});

const keyOf = (item: Package) => `${item.name}@${item.version}`;

// Who and how, as the preview and the release take them.
type Plan = Body<'/releases/preview', 'post'>;
type NewBody = Body<'/releases', 'post'>;

function planBody(draft: Draft): Plan {
  const body: Plan = {rule: draft.who === 'all' ? 'all' : draft.rule.trim()};
  if (draft.trusted) body.trusted_only = true;
  if (draft.plan === 'own') body.stages = draft.stages.map(stageBody);
  return body;
}

function releaseBody(draft: Draft, item: Package): NewBody {
  const body: NewBody = {...planBody(draft), package: item.name, version: item.version, salt: draft.salt};
  if (draft.again) body.again = true;
  const gate: Record<string, unknown> = {};
  if (draft.tolerated.trim()) gate['tolerated_rate'] = Number(draft.tolerated) / 100;
  if (draft.slices) gate['stop_slices_alone'] = true;
  if (Object.keys(gate).length > 0) body.gate = gate;
  if (draft.rate.trim()) body.rate = {per_minute: Number(draft.rate)};
  if (draft.retries.trim()) body.retries = {count: Number(draft.retries)};
  const when: Record<string, unknown> = {};
  if (draft.from && draft.to) when['windows'] = [{from: draft.from, to: draft.to}];
  for (const name of ['idle', 'charging', 'unmetered'] as const) if (draft[name]) when[name] = true;
  if (Object.keys(when).length > 0) body.when = when;
  return body;
}

const SHOWN = 20;

interface Seen { asked: string; preview?: Preview; error?: ApiError }
const PREVIEW_AFTER_MS = 350;

// Asks whom the plan reaches once the reader stops typing; an answer that is not of the last question is dropped.
function usePreview(body: Plan | null, salt: string): {seen: Seen | null; current: boolean; again: () => void} {
  const [seen, setSeen] = useState<Seen | null>(null);
  const [turn, setTurn] = useState(0);
  const asked = body === null ? '' : JSON.stringify(body);
  const latest = useRef(asked);
  latest.current = asked;
  const drawn = useRef(salt);
  drawn.current = salt;
  useEffect(() => {
    if (asked === '') { setSeen(null); return undefined; }
    const timer = window.setTimeout(async () => {
      try {
        const preview = await send('/releases/preview', {query: {limit: SHOWN}, body: {...JSON.parse(asked), ...(drawn.current ? {salt: drawn.current} : {})}});
        if (latest.current === asked) setSeen({asked, preview});
      } catch (error) {
        if (latest.current === asked && error instanceof ApiError && error.status !== 401) setSeen((old) => ({asked, error, ...(error.unreachable && old?.preview ? {preview: old.preview} : {})}));
      }
    }, PREVIEW_AFTER_MS);
    return () => clearTimeout(timer);
  }, [asked, turn]);
  // What could not be asked is asked again when the server is back, or somebody has signed in again.
  const lacks = useRef(false);
  lacks.current = asked !== '' && (seen?.asked !== asked || seen.error?.unreachable === true);
  useEffect(() => {
    const retry = () => { if (lacks.current && session.get().kind === 'in' && reachable.get()) setTurn((old) => old + 1); };
    const ends = [session.subscribe(retry), reachable.subscribe(retry)];
    return () => { for (const end of ends) end(); };
  }, []);
  return {seen, current: seen?.asked === asked, again: () => setTurn((old) => old + 1)};
}

function Reached({seen, current, chosen}: {seen: Seen | null; current: boolean; chosen: boolean}) {
  const fleet = useStore(status)?.devices;
  const preview = seen?.preview;
  if (!chosen) return <p class="empty">Choose who may get it: then the devices stand here.</p>;
  if (!preview) return <p class="empty">{seen?.error ? 'The plan is not whole yet.' : 'Asking the server...'}</p>;
  const outside = preview.left_out ?? preview.outside.length;
  const all = Math.max(preview.matched + outside, fleet ?? 0);
  const most = Math.max(1, ...preview.stages.map((stage) => stage.planned));
  return (
    <div class="stack" data-current={current && !seen.error}>
      <div id="reached" class="reach"><b>{devicesText(preview.matched)}</b> <span class="muted">of {all}, {shareText(preview.matched, all)}</span>{!current && <span class="muted"> ...</span>}</div>
      <ol class="reach-stages">
        {preview.stages.map((stage) => (
          <li key={stage.index}>
            <span><bdi>{stage.name || stage.kind}</bdi></span>
            <span class="bar" aria-hidden="true"><i class="open" style={{width: `${100 * stage.planned / most}%`}} /></span>
            <span class="number">{stage.kind === 'simulation' ? 'server' : `+${stage.planned}`}</span>
          </li>
        ))}
      </ol>
      <details class="devices-in" open={preview.matched > 0 && preview.matched <= SHOWN}>
        <summary>{preview.matched > SHOWN ? `The first ${SHOWN} that get it` : 'Devices that get it'}</summary>
        <ul class="ids">{preview.devices.slice(0, SHOWN).map((id) => <li key={id}><a class="mono" href={linkTo(['fleet', id])} title={id}>{shortId(id)}</a></li>)}</ul>
      </details>
      <details class="devices-out">
        <summary>{devicesText(outside)} outside{outside > SHOWN && `, the first ${SHOWN}`}</summary>
        <ul class="outside">{preview.outside.slice(0, SHOWN).map((row) => (
          <li key={row.device}><a class="mono" href={linkTo(['fleet', row.device])} title={row.device}>{shortId(row.device)}</a> <Said text={row.why} /></li>))}</ul>
      </details>
      {preview.salt && <p class="muted small-text">Shares are drawn with salt <code>{preview.salt}</code>; the release is made with the same one.</p>}
    </div>
  );
}

function Verdict({releases, item}: {releases: Release[]; item: Package}) {
  const verdict = verdictOf(releases, item.name, item.version);
  if (!verdict) return <p class="muted" id="verdict">This version was never released.</p>;
  const [words, tone] = stateWords(verdict.release);
  return (
    <div class="note" id="verdict" data-tone={verdict.bad ? 'bad' : ''}>
      <p>Last time: <Badge tone={tone}>{words}</Badge> <a href={linkTo(['releases', verdict.release.id])}>{verdict.release.id}</a></p>
      <p><Said text={verdict.release.reason} /></p>
    </div>
  );
}

// "stage 2: ..." of the server's text.
const stageOf = (error: ApiError | undefined): number | undefined => {
  const found = error && /^stages?\[?\s*(\d+)/.exec(error.field === 'stages' || error.field === undefined ? error.message : error.field);
  return found ? Number(found[1]) - 1 : undefined;
};

export function NewRelease({packages, releases, query}: {packages: Package[]; releases: Release[]; query: URLSearchParams}) {
  const newest = useMemo(() => [...packages].sort((a, b) => b.published_ms - a.published_ms || b.release_counter - a.release_counter), [packages]);
  const asked = query.get('package') ? `${query.get('package')}@${query.get('version') ?? ''}` : '';
  // What was taken back is not what a fresh form begins with.
  const first = newest.find((item) => keyOf(item) === asked) ?? newest.find((item) => !verdictOf(releases, item.name, item.version)?.bad) ?? newest[0];
  const [draft, change, clear] = useDraft<Draft>(`release${asked}`, () => start(first ? keyOf(first) : ''));
  // Stages of one's own begin as the server's standard plan.
  const standard = useLoad(to('/releases/default-plan'));
  const choosePlan = () => change({plan: 'own', ...(standard.value && JSON.stringify(draft.stages) === JSON.stringify(firstStages()) ? {stages: standard.value.stages.map(stageRow)} : {})});
  const [refused, setRefused] = useState<ApiError>();
  const item = newest.find((one) => keyOf(one) === draft.which) ?? first;
  const chosen = draft.who === 'all' || (draft.who === 'rule' && draft.rule.trim() !== '');
  const wrongRow = draft.plan === 'own' ? draft.stages.findIndex((row) => stageWrong(row) !== undefined) : -1;
  const ownWrong = wrongRow >= 0 ? stageWrong(draft.stages[wrongRow]!) : undefined;
  const {seen, current, again} = usePreview(chosen && wrongRow < 0 ? planBody(draft) : null, draft.salt);
  const error = refused ?? (current ? seen?.error : undefined);
  // The salt that the shown devices were drawn with goes with the release.
  useEffect(() => { if (current && seen?.preview?.salt && seen.preview.salt !== draft.salt) change({salt: seen.preview.salt}); }, [seen, current]);
  useEffect(() => setRefused(undefined), [draft]);
  if (!item) return null;
  const verdict = verdictOf(releases, item.name, item.version);
  const asksAgain = verdict?.bad === true || wasTakenBack(releases, item.name, item.version);
  const ruleWrong = error && error.field === 'rule' ? {text: error.said ?? error.message, line: error.line, column: error.column} : undefined;
  const stagesWrong = error && !ruleWrong && (error.field === 'stages' || stageOf(error) !== undefined) ? error : undefined;
  const other = error && !ruleWrong && !stagesWrong ? error : undefined;
  const preview = current && !error && !ownWrong ? seen?.preview : undefined;
  const blocked = !chosen ? 'Choose who may get it.' : asksAgain && !draft.again ? 'This version was taken back: say that it may go out again.'
    : ownWrong ?? (error ? 'The plan has an error.' : !preview ? 'The server is being asked.' : preview.matched === 0 ? 'It reaches no device.' : '');
  const sendIt = async (begin: boolean, key: string) => {
    const made = await send('/releases', {body: {...releaseBody(draft, item), start: begin}, key});
    clear();
    say(begin ? 'The release has started.' : 'Kept as a draft.');
    go(linkTo(['releases', made.id]));
  };
  const ask = (begin: boolean) => {
    if (!preview) return;
    const all = preview.matched + (preview.left_out ?? preview.outside.length);
    askFor({
      title: begin ? `Start ${item.name} ${item.version}?` : `Keep ${item.name} ${item.version} as a draft?`,
      facts: (
        <>
          <p>It may reach <strong>{devicesText(preview.matched)}</strong> of {all}, <strong>{shareText(preview.matched, all)}</strong>{draft.who === 'all' ? ': every device of the fleet' : ''}, in {preview.stages.length} stages.</p>
          <p>{verdict ? <>Last verdict on this version: {stateWords(verdict.release)[0]}. <Said text={verdict.release.reason} /></> : 'This version was never released before.'}</p>
        </>
      ),
      action: begin ? 'Start the release' : 'Keep the draft', danger: verdict?.bad ?? false,
      work: async ({key}) => {
        try {
          await sendIt(begin, key);
        } catch (refusal) {
          if (refusal instanceof ApiError && !refusal.approval) setRefused(refusal);
          throw refusal;
        }
      },
    });
  };
  return (
    <div class="form-two">
      <form class="stack" id="release-form" onSubmit={(event) => event.preventDefault()}>
        <Card title="What">
          <div class="stack">
            <Select id="package" label="Package" value={keyOf(item)} onInput={(which) => change({which, again: false})}
              options={newest.map((one) => [keyOf(one), `${one.name} ${one.version}${verdictOf(releases, one.name, one.version)?.bad ? ' (taken back)' : ''}`])} />
            <p class="muted">Published <Time ms={item.published_ms} />, falls back to {item.fallback_version || 'nothing'}.</p>
            <Verdict releases={releases} item={item} />
            {asksAgain && <Check id="again" label="It may go out again although it was taken back" checked={draft.again} onInput={(on) => change({again: on})} />}
          </div>
        </Card>
        <Card title="Who may get it">
          <fieldset>
            <legend class="hidden-text">Who may get it</legend>
            <Radio name="who" id="who-rule" label="Devices that match a rule" checked={draft.who === 'rule'} onChoose={() => change({who: 'rule'})} />
            {draft.who === 'rule' && <RuleEditor id="rule" label="Rule" value={draft.rule} onInput={(rule) => change({rule})} wrong={ruleWrong} lines={3}
              placeholder={'os == "android" and app_version >= "1.2.0"'} hint="Ctrl-Space completes. Conditions are joined by and, or, not." />}
            <Radio name="who" id="who-all" label="Every device of the fleet" checked={draft.who === 'all'} onChoose={() => change({who: 'all'})} />
            <Check label="Hear only what operators say of devices" hint="not their own tags, extra and user attributes" checked={draft.trusted} onInput={(trusted) => change({trusted})} />
          </fieldset>
        </Card>
        <Card title="How it spreads">
          <fieldset>
            <legend class="hidden-text">How it spreads</legend>
            <Radio name="plan" id="plan-standard" label="The standard plan" hint="the server's own, which the command line takes too" checked={draft.plan === 'standard'} onChoose={() => change({plan: 'standard'})} />
            <Radio name="plan" id="plan-own" label="Stages of my own" checked={draft.plan === 'own'} onChoose={choosePlan} />
            {draft.plan === 'own' && <StagesField rows={draft.stages} onInput={(stages) => change({stages})} wrongAt={ownWrong ? wrongRow : stageOf(stagesWrong)} wrong={ownWrong ?? stagesWrong?.message} />}
            {stagesWrong && (draft.plan !== 'own' || stageOf(stagesWrong) === undefined) && <div class="wrong" role="alert">{stagesWrong.message}</div>}
          </fieldset>
        </Card>
        <details class="card">
          <summary><h2 class="inline">Gates, pace and window</h2></summary>
          <div class="stack">
            <div class="stage-row-fields">
              <Input label="Tolerated failures, %" value={draft.tolerated} inputMode="decimal" placeholder="1.2" onInput={(tolerated) => change({tolerated})} />
              <Input label="New devices a minute" value={draft.rate} inputMode="numeric" placeholder="as many as ask; above 10,000 devices 100, growing" onInput={(rate) => change({rate})} />
              <Input label="Retries a device" value={draft.retries} inputMode="numeric" placeholder="none" onInput={(retries) => change({retries})} />
            </div>
            <Check label="A bad slice is stopped alone" hint="a slice of at most half of the devices, without which nothing stops" checked={draft.slices} onInput={(slices) => change({slices})} />
            <div class="stage-row-fields">
              <Input label="Install from (device's time)" type="time" value={draft.from} onInput={(from) => change({from})} />
              <Input label="to" type="time" value={draft.to} onInput={(to) => change({to})} />
            </div>
            <div class="row">
              <Check label="only when idle" checked={draft.idle} onInput={(idle) => change({idle})} />
              <Check label="only when charging" checked={draft.charging} onInput={(charging) => change({charging})} />
              <Check label="only on an unmetered network" checked={draft.unmetered} onInput={(unmetered) => change({unmetered})} />
            </div>
          </div>
        </details>
      </form>
      <aside class="form-side stack">
        <Card title="Whom it reaches" side={<Button small kind="plain" onPress={again} disabled={!chosen}>Ask again</Button>}>
          <Reached seen={seen} current={current} chosen={chosen} />
        </Card>
        {other && <div class="note" data-tone="bad" role="alert" id="form-error">{other.message}</div>}
        <div class="row">
          <Button id="start" kind="primary" disabled={blocked !== ''} onPress={() => ask(true)}>Start...</Button>
          <Button id="keep" disabled={blocked !== ''} onPress={() => ask(false)}>Keep as a draft</Button>
          <Button kind="plain" id="forget" onPress={() => { clear(); change(start(keyOf(item))); }}>Clear</Button>
        </div>
        <p class="muted small-text" id="blocked" role="status">{blocked}</p>
      </aside>
    </div>
  );
}
