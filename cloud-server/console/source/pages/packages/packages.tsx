// Packages: what is published, uploading a signed bundle, one version.
import {useMemo, useRef, useState} from 'preact/hooks';
import {send as sendTo, type Body as BodyOf} from '../../api/calls';
import {ApiError, call} from '../../api/client';
import {may} from '../../api/session';
import {PACKAGES, RELEASES, useLoad} from '../../api/load';
import type {Package, Release} from '../../api/types';
import {useOnce} from '../../parts/button';
import {Dialog} from '../../parts/dialog';
import {Field, Input} from '../../parts/field';
import {Loading, PageHead} from '../../parts/page';
import {LongTable, type Column} from '../../parts/table';
import {say} from '../../parts/toast';
import {Ago, Badge, bytesText} from '../../parts/text';
import {stateWords, verdictOf} from '../../release';
import {linkTo, setQuery} from '../../route';
import type {PageProps} from '../list';
import {readBundle} from './bundle_file';
import {PackagePage} from './package';

interface Row extends Package { withdrawn?: string; verdict: ReturnType<typeof verdictOf> }

const COLUMNS: Column<Row>[] = [
  {name: 'Package', width: 'wide', narrow: 'title', show: (row) => <a href={linkTo(['packages', row.name, row.version])}><bdi>{row.name}</bdi></a>},
  {name: 'Version', width: 'version', narrow: 'title', show: (row) => <bdi>{row.version}</bdi>},
  {name: 'Last release', width: 'state', narrow: 'end', show: (row) => {
    if (row.withdrawn !== undefined) return <Badge tone="bad">withdrawn</Badge>;
    if (!row.verdict) return <span class="muted">never</span>;
    const [text, tone] = stateWords(row.verdict.release);
    return <Badge tone={tone}>{text}</Badge>;
  }},
  {name: 'Size', width: 'size', show: (row) => bytesText(row.plain_length)},
  {name: 'Falls back to', width: 'version', narrow: 'hide', show: (row) => <bdi>{row.fallback_version || '-'}</bdi>},
  {name: 'Description', narrow: 'hide', show: (row) => <bdi title={row.withdrawn ?? row.description}>{row.withdrawn ?? row.description ?? ''}</bdi>},
  {name: 'Published', width: 'ago', show: (row) => <Ago ms={row.published_ms} />},
];

function Upload({onClose, done}: {onClose: () => void; done: () => Promise<void>}) {
  const file = useRef<HTMLInputElement>(null);
  const [progress, setProgress] = useState('');
  const [wrong, setWrong] = useState('');
  const [busy, run] = useOnce((error: ApiError) => { setProgress(''); setWrong(error.status > 0 ? `${error.code}: ${error.message}` : error.message); });
  const send = () => run(async () => {
    const chosen = file.current?.files?.[0];
    setWrong('');
    if (!chosen) throw new ApiError(0, 'invalid_argument', 'Choose a file.');
    const bundle = await readBundle(chosen).catch((error: Error) => { throw new ApiError(0, 'malformed', error.message); });
    for (const [at, item] of bundle.content.entries()) {
      setProgress(`File ${at + 1} of ${bundle.content.length}`);
      await call('PUT', `/content/${item.sha256}`, item.blob);  // bytes, which the typed calls do not send
    }
    setProgress('The server checks the signatures');
    const answer = await sendTo('/packages', {body: bundle.publish as BodyOf<'/packages', 'post'>});
    say(`Published: ${answer.packages.map((item) => `${item.name} ${item.version}`).join(', ') || 'nothing new'}`);
    onClose();
    await done();
  });
  return (
    <Dialog title="Upload a package" onClose={() => { if (!busy) onClose(); }}>
      <form id="upload-form" onSubmit={(event) => { event.preventDefault(); void send(); }}>
        <h2>Upload a package</h2>
        <Field id="bundle" label="Signed publish bundle" wrong={wrong} hint={<>Made and signed with <code>ferry publish --bundle FILE</code>. Keys never come here.</>}>
          {(ids) => <input {...ids} class="input" type="file" ref={file} />}
        </Field>
        <p class="muted" role="status">{progress}</p>
        <div class="buttons">
          <button type="button" class="button" onClick={onClose}>Cancel</button>
          <button type="submit" id="upload" class="button primary" aria-busy={busy}>Upload</button>
        </div>
      </form>
    </Dialog>
  );
}

function PackageList({query}: {query: URLSearchParams}) {
  const [uploads, setUploads] = useState(false);
  const text = query.get('text') ?? '';
  const list = useLoad<{packages: Package[]; withdrawn?: {name: string; version: string; reason: string}[]}>(PACKAGES, (event) => event.kind === 'status');
  const releases = useLoad<{releases: Release[]}>(RELEASES, (event) => event.kind === 'release');
  const rows = useMemo(() => {
    const withdrawn = new Map((list.value?.withdrawn ?? []).map((item) => [`${item.name} ${item.version}`, item.reason]));
    const wanted = text.trim().toLowerCase();
    return (list.value?.packages ?? [])
      .filter((item) => `${item.name} ${item.version} ${item.description ?? ''}`.toLowerCase().includes(wanted))
      .map((item): Row => ({...item, withdrawn: withdrawn.get(`${item.name} ${item.version}`), verdict: verdictOf(releases.value?.releases ?? [], item.name, item.version)}))
      .sort((a, b) => b.published_ms - a.published_ms || b.release_counter - a.release_counter);
  }, [list.value, releases.value, text]);
  return (
    <>
      <PageHead title="Packages" actions={may('release') && <button type="button" class="button primary" id="open-upload" onClick={() => setUploads(true)}>Upload a bundle</button>} />
      {uploads && <Upload onClose={() => setUploads(false)} done={list.reload} />}
      <div class="filters"><Input label="Search" id="package-search" value={text} onInput={(value) => setQuery({text: value})} placeholder="name, version or description" /></div>
      <Loading of={list}>
        {() => <LongTable label="Packages" id="packages" what="versions" columns={COLUMNS} rows={rows} keyOf={(row) => `${row.name} ${row.version}`}
          linkOf={(row) => linkTo(['packages', row.name, row.version])} empty={text ? 'No package fits the search.' : 'Nothing is published yet. Upload a bundle, or: ferry publish FILE.fpk'} />}
      </Loading>
    </>
  );
}

export const PackagesPage = ({path, query}: PageProps) => path[0] && path[1] ? <PackagePage name={path[0]} version={path[1]} query={query} /> : <PackageList query={query} />;

