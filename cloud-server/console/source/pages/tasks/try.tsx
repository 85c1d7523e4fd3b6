// A task's script beside recorded events: changed here, run in the server's sandbox, saved as a package for `ferry publish`.
import {useEffect, useState} from 'preact/hooks';
import {send} from '../../api/calls';
import {ApiError, download, get, pathOf} from '../../api/client';
import {useLoad} from '../../api/load';
import {has, may} from '../../api/session';
import type {Package} from '../../api/types';
import {useDraft} from '../../draft';
import {Button} from '../../parts/button';
import {Input, Select} from '../../parts/field';
import {Card, Loading, PageHead} from '../../parts/page';
import {RuleEditor} from '../../parts/rule';
import {Badge, Copy, Said, bytesText} from '../../parts/text';
import {say} from '../../parts/toast';
import {linkTo, setQuery} from '../../route';
import {casesText, nextVersion, placeOf, readCases, type Detail, type Place, type TrialReport} from './trial';

interface Contents { files: {path: string; length: number}[] }
interface FileText { path: string; text: string; source: boolean }

const START = '[{"name": "one", "events": [{"id": "visit", "data": {}}]}]';
const EDITED = /\.(py|json|txt|csv|md)$/;
// Packages hold scripts compiled, with their source: that is what is shown and edited.
const sourceOf = (path: string) => path.replace(/\.fbc$/, '.py');
const fileOf = (name: string, version: string, path: string) => pathOf(['packages', name, version, 'contents', ...path.split('/')]);

function Result({detail, files, onPlace}: {detail: Detail; files: string[]; onPlace: (place: Place) => void}) {
  const place = detail.error ? placeOf(detail.error, files) : undefined;
  return (
    <li class="try-case" data-passed={detail.passed}>
      <div class="spread"><bdi>{detail.case || 'a case'}</bdi><span><Badge tone={detail.passed ? 'good' : 'bad'}>{detail.passed ? 'as expected' : 'not as expected'}</Badge> <span class="muted">{detail.ms.toFixed(2)} ms</span></span></div>
      {detail.result !== undefined && <pre class="trace"><bdi>{detail.result}</bdi></pre>}
      {detail.printed && <details open><summary>Printed</summary><pre class="trace"><bdi>{detail.printed}</bdi></pre></details>}
      {detail.error && <pre class="trace bad"><bdi>{detail.error}</bdi></pre>}
      {place && <button type="button" class="link" onClick={() => onPlace(place)}>{place.file}, line {place.line}</button>}
    </li>
  );
}

function Report({report, files, onPlace}: {report: TrialReport; files: string[]; onPlace: (place: Place) => void}) {
  const failed = report.error ?? report.failures?.find(() => !report.details?.length)?.error;
  const place = failed ? placeOf(failed, files) : undefined;
  return (
    <Card title="What came of it" id="try-report" side={<span class="muted">{report.peak_bytes ? `memory ${bytesText(report.peak_bytes)}` : ''}{report.p50_ms ? `, half of the runs within ${report.p50_ms.toFixed(2)} ms` : ''}</span>}>
      <p role="status"><Badge tone={report.passed ? 'good' : 'bad'}>{report.passed ? 'passed' : 'failed'}</Badge> {report.cases - report.failed} of {report.cases} cases as expected</p>
      {failed && <div class="note" data-tone="bad"><pre class="trace"><bdi>{failed}</bdi></pre>{place && <button type="button" class="link" onClick={() => onPlace(place)}>{place.file}, line {place.line}</button>}</div>}
      <ul class="try-cases">{(report.details ?? []).map((detail, at) => <Result key={at} detail={detail} files={files} onPlace={onPlace} />)}</ul>
    </Card>
  );
}

function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

interface Typed { texts: Record<string, string>; cases: string; version: string }

function Workshop({name, base, contents, manifest}: {name: string; base: string; contents: Contents; manifest: {task?: {script?: string}; simulation?: {cases?: string}}}) {
  const held = new Map(contents.files.map((file) => [sourceOf(file.path), file.path]));
  const scripts = [...held.keys()].filter((path) => EDITED.test(path) && path !== manifest.simulation?.cases);
  const [typed, change, clear] = useDraft<Typed>(`try/${name}/${base}`, () => ({texts: {}, cases: '', version: nextVersion(base)}));
  const [file, setFile] = useState(manifest.task?.script ?? scripts[0] ?? '');
  const [read, setRead] = useState<Record<string, string>>({});
  const [report, setReport] = useState<TrialReport>();
  const [wrong, setWrong] = useState<{file: string; text: string; line?: number}>();
  const [error, setError] = useState<ApiError>();
  useEffect(() => {
    if (!file || read[file] !== undefined) return;
    get<FileText>(fileOf(name, base, held.get(file) ?? file)).then((found) => setRead((old) => ({...old, [file]: found.text})), setError);
  }, [file, name, base]);
  useEffect(() => {
    const path = manifest.simulation?.cases;
    if (typed.cases) return;
    if (!path) change({cases: START});
    else get<FileText>(fileOf(name, base, path)).then((found) => change({cases: casesText(found.text)}), () => change({cases: START}));
  }, [name, base]);
  const cases = readCases(typed.cases || START);
  const draft = () => ({base, files: typed.texts, ...(cases.cases ? {cases: cases.cases} : {})});
  const text = typed.texts[file] ?? read[file];
  const changed = Object.keys(typed.texts).filter((path) => typed.texts[path] !== read[path]);
  const show = (place: Place) => { setFile(place.file); setWrong({file: place.file, text: report?.error ?? 'An error came from here.', line: place.line}); };
  const run = async () => {
    setWrong(undefined);
    const found = await send('/tasks/try', {body: {package: name, ...draft()}});
    setReport(found);
    const said = found.error ?? found.details?.find((detail) => detail.error)?.error;
    const place = said ? placeOf(said, scripts) : undefined;
    if (said && place) { setWrong({file: place.file, text: said.split('\n').at(-1) ?? said, line: place.line}); setFile(place.file); }
  };
  return (
    <div class="stack">
      {error && <div class="note" data-tone="bad" role="alert">{error.message}</div>}
      <div class="two">
        <Card title="Script" side={scripts.length > 1 && <Select label="File" id="try-file" value={file} onInput={setFile} options={scripts.map((path) => [path, changed.includes(path) ? `${path} (changed)` : path])} />}>
          {text === undefined ? <p class="waiting">Reading...</p> : <RuleEditor key={file} id="try-script" label={file} script value={text} lines={18}
            onInput={(value) => change({texts: {...typed.texts, [file]: value}})} wrong={wrong?.file === file ? wrong : undefined} />}
        </Card>
        <Card title="Recorded events" side={<span class="muted">without "expect" any result will do</span>}>
          <RuleEditor id="try-events" label="Cases as JSON" script value={typed.cases} lines={18} onInput={(value) => change({cases: value})} wrong={cases.wrong} />
        </Card>
      </div>
      <div class="row">
        <Button id="try-run" kind="primary" disabled={!cases.cases} onPress={run} onError={setError}>Run it</Button>
        {changed.length > 0 && <Button id="try-reset" onPress={() => { clear(); change({texts: {}}); setReport(undefined); }}>Drop the changes</Button>}
      </div>
      {report && <Report report={report} files={scripts} onPlace={show} />}
      <Card title="Publish it">
        <p>The server holds no key that could sign: save the package and publish it where the keys are.</p>
        <div class="search">
          <Input label="Its version" id="try-version" value={typed.version} onInput={(version) => change({version})} />
          <Button id="try-save" disabled={!cases.cases} onPress={async () => {
            save(await download(pathOf(['tasks', name, 'draft']), {...draft(), version: typed.version.trim()}), `${name}-${typed.version.trim()}.fpk`);
            say('Saved.');
          }}>Save the package</Button>
        </div>
        <p class="muted">Then: <code>ferry publish {name}-{typed.version}.fpk --dir PUBLISHER</code> <Copy text={`ferry publish ${name}-${typed.version}.fpk --dir PUBLISHER`} what="command" /></p>
      </Card>
    </div>
  );
}

export function TryPage({name, base: asked}: {name: string; base: string}) {
  const all = useLoad<{packages: Package[]}>(pathOf(['packages'], {filter: `name == ${JSON.stringify(name)}`, limit: 1000}));
  const versions = (all.value?.packages ?? []).sort((a, b) => b.release_counter - a.release_counter).map((item) => item.version);
  const base = asked || versions[0] || '';
  const ready = base !== '' && has('contents') && may('read');
  const contents = useLoad<Contents>(ready ? pathOf(['packages', name, base, 'contents']) : null);
  const manifest = useLoad<FileText>(ready ? fileOf(name, base, '.manifest.json') : null);
  return (
    <>
      <PageHead title={`Write and try ${name}`} shown={<>Write and try <bdi>{name}</bdi></>} crumbs={[['Tasks', '#/tasks'], [name, linkTo(['tasks', name])]]}
        under="Changes stay in this tab until they are saved; nothing reaches a device from here."
        actions={versions.length > 1 && <Select label="Begin with" id="try-base" value={base} onInput={(version) => setQuery({base: version})} options={versions} />} />
      {!may('read') ? <p class="empty">Your role does not read scripts: ask for the role developer.</p>
        : !has('contents') ? <p class="empty">This server does not show what is in packages.</p>
        : all.value && versions.length === 0 ? <p class="empty">There is no such package: <Said text={name} /></p>
        : <Loading of={contents}>{(shown) => <Loading of={manifest}>{(text) =>
          <Workshop key={base} name={name} base={base} contents={shown} manifest={JSON.parse(text.text) as {task?: {script?: string}; simulation?: {cases?: string}}} />}</Loading>}</Loading>}
    </>
  );
}
