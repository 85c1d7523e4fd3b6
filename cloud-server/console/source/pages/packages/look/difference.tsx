// What another version has that this one has not: files, manifest, scripts by lines, the model's nodes.
import {useMemo, useState} from 'preact/hooks';
import {useLoad} from '../../../api/load';
import {may} from '../../../api/session';
import type {Package} from '../../../api/types';
import {graphDifference, lineDifference, type NodeChange} from '../../../graph/difference';
import type {ModelGraph} from '../../../graph/model';
import {Select} from '../../../parts/field';
import {Card, Loading, Problem} from '../../../parts/page';
import {LongTable, Table, type Column} from '../../../parts/table';
import {Badge, bytesText} from '../../../parts/text';
import {setQuery} from '../../../route';
import {MANIFEST, looksLikeText, type FileText} from './contents';
import {contentsPath, filePath, modelsOf, useGraph, type Contents, type Version} from './models';

interface FileChange { path: string; kind: 'new' | 'gone' | 'changed'; before: number | undefined; after: number | undefined }

function fileChanges(old: Contents, now: Contents): FileChange[] {
  const before = new Map(old.files.map((file) => [file.path, file])), after = new Map(now.files.map((file) => [file.path, file]));
  return [...new Set([...before.keys(), ...after.keys()])].sort()
    .map((path) => ({path, a: before.get(path), b: after.get(path)}))
    .filter(({a, b}) => a?.sha256 !== b?.sha256)
    .map(({path, a, b}) => ({path, kind: a ? b ? 'changed' : 'gone' : 'new', before: a?.length, after: b?.length}));
}

// The text of one side; a file that is not there is empty.
const useText = (of: Version, file: string, there: boolean) => useLoad<FileText>(there ? filePath(of, file) : null);

export function TextDifference({old, now, file, inOld, inNow}: {old: Version; now: Version; file: string; inOld: boolean; inNow: boolean}) {
  const before = useText(old, file, inOld), after = useText(now, file, inNow);
  const error = before.error ?? after.error;
  if (error) return <Problem error={error} />;
  if ((inOld && !before.value) || (inNow && !after.value)) return <p class="waiting">Reading...</p>;
  const lines = lineDifference(before.value?.text ?? '', after.value?.text ?? '');
  if (lines.length === 0) return <p class="muted">The text is the same.</p>;
  return (
    <div class="code-scroll" tabIndex={0} role="region" aria-label={`Difference of ${file}, scrolls`}>
      <table class="difference" aria-label={`Difference of ${file}`}><tbody>
        {lines.map((line, at) => line.kind === 'gap' ? <tr key={at} class="gap-line"><td colSpan={4}>...</td></tr> : (
          <tr key={at} data-kind={line.kind}>
            <td class="number">{line.before ?? ''}</td><td class="number">{line.after ?? ''}</td>
            <td>{line.kind === 'gone' ? <><span aria-hidden="true">-</span><span class="hidden-text">gone</span></> : line.kind === 'new' ? <><span aria-hidden="true">+</span><span class="hidden-text">new</span></> : ''}</td>
            <td><bdi>{line.text}</bdi></td>
          </tr>
        ))}
      </tbody></table>
    </div>
  );
}

const FILE_COLUMNS: Column<FileChange>[] = [
  {name: 'File', narrow: 'title', show: (row) => <bdi>{row.path}</bdi>},
  {name: 'What', narrow: 'end', show: (row) => <Badge tone={row.kind === 'gone' ? 'bad' : row.kind === 'new' ? 'good' : 'wait'}>{row.kind}</Badge>},
  {name: 'Before', number: true, show: (row) => bytesText(row.before)},
  {name: 'Now', number: true, show: (row) => bytesText(row.after)},
];

function Scripts({old, now, changes}: {old: Version; now: Version; changes: FileChange[]}) {
  const [open, setOpen] = useState<string[]>([]);
  const texts = changes.filter((change) => looksLikeText(change.path));
  if (texts.length === 0) return <p class="muted">No script or other text differs.</p>;
  return (
    <>{texts.map((change) => (
      <details key={change.path} onToggle={(event) => { if (event.currentTarget.open) setOpen((before) => before.includes(change.path) ? before : [...before, change.path]); }}>
        <summary><bdi>{change.path}</bdi> <span class="muted">{change.kind}</span></summary>
        {open.includes(change.path) && <TextDifference old={old} now={now} file={change.path} inOld={change.kind !== 'new'} inNow={change.kind !== 'gone'} />}
      </details>
    ))}</>
  );
}

function Nodes({old, now}: {old: ModelGraph; now: ModelGraph}) {
  const changes = useMemo(() => graphDifference(old, now), [old, now]);
  const columns: Column<NodeChange>[] = [
    {name: 'Node', width: 'wide', narrow: 'title', show: (row) => { const node = row.after !== undefined ? now.nodes[row.after] : old.nodes[row.before ?? -1]; return <><bdi>{node?.op}</bdi> <span class="muted"><bdi>{node?.name}</bdi></span></>; }},
    {name: 'What', width: 'state', narrow: 'end', show: (row) => row.before === undefined ? <Badge tone="good">new</Badge> : row.after === undefined ? <Badge tone="bad">gone</Badge> : <Badge tone="wait">changed</Badge>},
    {name: 'How', show: (row) => <bdi title={row.what.join('; ')}>{row.what.join('; ')}</bdi>},
  ];
  if (changes.length === 0) return <p class="muted" id="graph-same">The graphs have the same {now.nodes.length} nodes; weights are compared by size alone.</p>;
  return <LongTable label="Nodes that differ" id="node-changes" what="nodes" columns={columns} rows={changes} keyOf={(row) => `${row.before} ${row.after}`} />;
}

function Graphs({old, now, oldContents, contents, query}: {old: Version; now: Version; oldContents: Contents; contents: Contents; query: URLSearchParams}) {
  const models = modelsOf(contents).filter((model) => modelsOf(oldContents).includes(model));
  const wanted = query.get('model');
  const model = wanted && models.includes(wanted) ? wanted : models[0] ?? null;
  const before = useGraph(old, model), after = useGraph(now, model);
  if (model === null) return <p class="muted">No model stands in both versions under one name.</p>;
  return (
    <>
      {models.length > 1 && <Select id="which-model" label="Model" value={model} onInput={(value) => setQuery({model: value})} options={models} />}
      <Loading of={before}>{(a) => <Loading of={after}>{(b) => <Nodes old={a} now={b} />}</Loading>}</Loading>
    </>
  );
}

function Both({old, now, query, graphs}: {old: Version; now: Version; query: URLSearchParams; graphs: boolean}) {
  const before = useLoad<Contents>(contentsPath(old)), after = useLoad<Contents>(contentsPath(now));
  return (
    <Loading of={before}>{(a) => <Loading of={after}>{(b) => {
      const changes = fileChanges(a, b);
      return (
        <div class="stack">
          <Card title="Files"><Table label="Files that differ" id="file-changes" columns={FILE_COLUMNS} rows={changes} keyOf={(row) => row.path} empty="All files are the same." /></Card>
          {may('read')
            ? <>
                <Card title="Manifest" id="manifest-difference"><TextDifference old={old} now={now} file={MANIFEST} inOld inNow /></Card>
                <Card title="Scripts and texts" id="script-differences"><Scripts old={old} now={now} changes={changes} /></Card>
              </>
            : <p class="muted">Differences of manifest and scripts are shown to the role developer.</p>}
          {graphs && <Card title="Graph"><Graphs old={old} now={now} oldContents={a} contents={b} query={query} /></Card>}
        </div>
      );
    }}</Loading>}</Loading>
  );
}

export function DifferenceTab({of, query, others, graphs}: {of: Version; query: URLSearchParams; others: Package[]; graphs: boolean}) {
  const versions = others.filter((item) => item.version !== of.version).map((item) => item.version);
  const asked = query.get('with');
  // The one before it, where there is one.
  const at = others.findIndex((item) => item.version === of.version);
  const other = asked && versions.includes(asked) ? asked : others[at + 1]?.version ?? versions[0];
  if (other === undefined) return <p class="empty" id="no-other">There is no other version to compare with.</p>;
  return (
    <>
      <div class="filters"><Select id="compare-with" label="What differs from version" value={other} onInput={(value) => setQuery({with: value})} options={versions} /></div>
      <Both key={other} old={{name: of.name, version: other}} now={of} query={query} graphs={graphs} />
    </>
  );
}
