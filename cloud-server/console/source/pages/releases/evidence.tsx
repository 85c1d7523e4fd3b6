// What the gates weigh: for each slice how far the evidence against the version is on its way to the line where it stops.
import {useState} from 'preact/hooks';
import type {FullRelease, Gate} from '../../api/types';
import {Card} from '../../parts/page';
import {countText, shareText} from '../../parts/text';
import {wayToStop, worstFirst} from '../../release';

const FEW = 8;
const LINE_AT = 85;  // percent of the track's width

const figure = (value: number): string => value >= 1000 && value < 1e6 ? countText(Math.round(value)) : value >= 1e6 || (value !== 0 && value < 0.01) ? value.toExponential(1) : value.toPrecision(3).replace(/\.?0+$/, '');

function GateRow({gate}: {gate: Gate}) {
  const way = wayToStop(gate);
  const text = `evidence ${figure(gate.evidence)}, stops at ${figure(gate.threshold)}`;
  return (
    <li class="gate" data-stop={gate.stop} data-slice={gate.slice}>
      <div class="gate-name"><bdi>{gate.slice}</bdi>{gate.metric && gate.metric !== 'failure' && <span class="muted"> {gate.metric}</span>}
        {gate.stage && <span class="muted"> from {gate.stage}</span>}</div>
      <div class="gate-track" role="img" aria-label={text} title={text}>
        <i class="way" data-near={way >= 0.5} style={{width: `${Math.min(100, LINE_AT * way)}%`}} /><i class="line" style={{left: `${LINE_AT}%`}} />
      </div>
      <div class="gate-text"><span class={gate.stop ? 'bad' : ''}>{figure(gate.evidence)}</span> <span class="muted">of {figure(gate.threshold)}</span></div>
      <div class="gate-count muted">{countText(gate.failed)} failed{gate.failed > 0 && ` (${shareText(gate.failed, gate.failed + gate.healthy)} of those that answered)`},
        {' '}{countText(gate.healthy)} well{gate.pending > 0 && `, ${countText(gate.pending)} pending`}{gate.control > 0 && `, beside ${countText(gate.control)} held back`}</div>
    </li>
  );
}

export function Evidence({release}: {release: FullRelease}) {
  const [all, setAll] = useState(false);
  const gates = worstFirst(release.gates);
  const shown = all ? gates : gates.slice(0, FEW);
  return (
    <Card title="Evidence against this version" id="evidence" side={<span class="muted">log scale, worst first</span>}>
      {gates.length === 0 ? <p class="empty">No device has answered yet.</p> : (
        <>
          <ul class="gates">{shown.map((gate) => <GateRow key={`${gate.stage}/${gate.metric}/${gate.slice}`} gate={gate} />)}</ul>
          {gates.length > FEW && <button type="button" class="button plain small" onClick={() => setAll(!all)}>{all ? 'Show the worst only' : `Show all ${gates.length} slices`}</button>}
        </>
      )}
    </Card>
  );
}
