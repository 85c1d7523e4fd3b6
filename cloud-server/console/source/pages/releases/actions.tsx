// What a person can do with a release. Each says how many devices it concerns, and asks why where the history keeps it.
import type {ComponentChildren} from 'preact';
import {read, send} from '../../api/calls';
import {ApiError} from '../../api/client';
import {has, may, type Right} from '../../api/session';
import {status} from '../../live/client';
import type {FullRelease} from '../../api/types';
import {Button} from '../../parts/button';
import {askFor} from '../../parts/dialog';
import {say} from '../../parts/toast';
import {countText, devicesText, shareText} from '../../parts/text';
import {isMoving, stageName, waitsForPerson} from '../../release';

type Verb = 'start' | 'approve' | 'resume' | 'pause' | 'rollback' | 'promote' | 'retry' | 'halt' | 'kill';
interface Action {
  id: string; name: string; verb: Verb; right: Right; kind?: 'primary' | 'danger';
  when: (release: FullRelease) => boolean;
  says: (release: FullRelease) => ComponentChildren;
  done: string;
  why?: boolean;
  more?: boolean;      // behind "More"
  typed?: boolean;     // the package's name is typed: there is no way back
}

const ended = ['rolling_back', 'rolled_back', 'superseded', 'failed_simulation', 'draft'];
const watched = (release: FullRelease) => isMoving(release.state) || release.state === 'paused' || release.state === 'complete';

function share(release: FullRelease): string {
  const fleet = status.get()?.devices ?? 0;
  return `${devicesText(release.counts.members)}${fleet > 0 ? ` (${shareText(release.counts.members, fleet)} of the fleet)` : ''}`;
}
const next = (release: FullRelease) => release.stages[release.stage + 1];
const nextText = (release: FullRelease) => { const stage = next(release); return stage ? `the next stage, ${stageName(stage)}` : 'the end: complete'; };

const ACTIONS: Action[] = [
  {id: 'start', name: 'Start', verb: 'start', right: 'release', kind: 'primary', when: (it) => it.state === 'draft', done: 'Started.',
    says: (it) => <p>It begins with the first stage, {it.stages[0] && stageName(it.stages[0])}, under the rule <code>{it.rule}</code>.</p>},
  {id: 'approve', name: 'Approve', verb: 'approve', right: 'release', kind: 'primary', when: waitsForPerson, done: 'Approved.', why: true,
    says: (it) => <p>The stage has {share(it)}; {countText(it.counts.failed)} failed. It goes on to {nextText(it)} as soon as its gates pass.</p>},
  {id: 'resume', name: 'Resume', verb: 'resume', right: 'release', kind: 'primary', when: (it) => it.state === 'paused', done: 'Resumed.',
    says: (it) => <p>{it.reason}. New devices are offered it again; {share(it)} have it so far.</p>},
  {id: 'pause', name: 'Pause', verb: 'pause', right: 'stop', when: (it) => isMoving(it.state), done: 'Paused.', why: true,
    says: (it) => <p>No further device is offered it; {share(it)} keep it, and the gates go on watching them.</p>},
  {id: 'rollback', name: 'Roll back', verb: 'rollback', right: 'stop', kind: 'danger',
    when: (it) => watched(it) || it.state === 'killed' || it.state === 'stopped', done: 'Rolling back.', why: true,
    says: (it) => <p>{share(it)} go back to {it.fallback_version ? <strong>{it.package} {it.fallback_version}</strong> : 'what they had'}. This release does not start again.</p>},
  {id: 'promote', name: 'Promote past the gates', verb: 'promote', right: 'release', more: true, when: (it) => isMoving(it.state), done: 'Promoted.', why: true,
    says: (it) => <p>The stage is left <strong>without its gates</strong>, with {share(it)} and {countText(it.counts.failed)} failed, to {nextText(it)}{next(it)?.planned ? `, which is planned for ${devicesText(next(it)?.planned ?? 0)}` : ''}.</p>},
  {id: 'retry', name: 'Retry failed devices', verb: 'retry', right: 'release', more: true, when: (it) => watched(it) && it.counts.failed > 0, done: 'They try again.', why: true,
    says: (it) => <p>{devicesText(it.counts.failed)} that failed are offered it again.</p>},
  {id: 'halt', name: 'Halt', verb: 'halt', right: 'stop', kind: 'danger', more: true, when: (it) => it.state === 'draft' || watched(it), done: 'Halted.', why: true,
    says: (it) => <p>It ends here: {share(it)} keep what they confirmed, no other device gets it.</p>},
  {id: 'kill', name: 'Kill: run it nowhere', verb: 'kill', right: 'stop', kind: 'danger', more: true, typed: true,
    when: (it) => watched(it) || it.state === 'stopped', done: 'Killed.', why: true,
    says: (it) => <p>{it.package} {it.version} is <strong>disabled</strong> on {share(it)}. Devices whose runtime cannot stop a package go back as far as they can.</p>},
];

// Agreeing to a held stage may never end a pause: a server without a call of its own for it is asked first.
async function approve(release: FullRelease, body: {why?: string}, key: string): Promise<void> {
  if (!has('approve')) {
    const now = await read('/releases/{id}', {path: {id: release.id}});
    if (!waitsForPerson(now)) throw new ApiError(409, 'failed_precondition', `The stage no longer waits for a person: the release is ${now.state}. ${now.reason}`);
    await send('/releases/{id}/resume', {path: {id: release.id}, body, key});
    return;
  }
  await send('/releases/{id}/approve', {path: {id: release.id}, body, key});
}

function open(action: Action, release: FullRelease, done: () => Promise<void>): void {
  askFor({
    title: `${action.name}: ${release.package} ${release.version}?`,
    facts: action.says(release),
    action: action.name, danger: action.kind === 'danger', reason: action.why === true, typed: action.typed ? release.package : undefined,
    work: async ({why, key}) => {
      const body = why ? {why} : {};
      if (action.verb === 'approve') await approve(release, body, key);
      else await send(`/releases/{id}/${action.verb}`, {path: {id: release.id}, body, key});
      say(action.done);
      await done();
    },
  });
}

export function Actions({release, done}: {release: FullRelease; done: () => Promise<void>}) {
  const all = ACTIONS.filter((action) => may(action.right) && action.when(release) && !(ended.includes(release.state) && action.more && action.id !== 'halt'));
  const more = all.filter((action) => action.more);
  return (
    <>
      {all.filter((action) => !action.more).map((action) => (
        <Button key={action.id} id={action.id} kind={action.kind ?? ''} onPress={() => open(action, release, done)}>{action.name}</Button>
      ))}
      {more.length > 0 && (
        <details class="popover" id="more" onToggle={() => undefined} onKeyDown={(event) => { if (event.key === 'Escape') event.currentTarget.open = false; }}
          onBlurCapture={(event) => { if (!(event.relatedTarget instanceof Node) || !event.currentTarget.contains(event.relatedTarget)) event.currentTarget.open = false; }}>
          <summary class="button">More</summary>
          <div>{more.map((action) => <Button key={action.id} id={action.id} kind={action.kind ?? ''} onPress={() => open(action, release, done)}>{action.name}</Button>)}</div>
        </details>
      )}
    </>
  );
}
