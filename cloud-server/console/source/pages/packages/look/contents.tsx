// What is in a version: files, and scripts and other texts for those who may read them.
import {useLoad} from '../../../api/load';
import {may} from '../../../api/session';
import {Card, Loading} from '../../../parts/page';
import {Table, type Column} from '../../../parts/table';
import {Id, bytesText, countText} from '../../../parts/text';
import {linkTo} from '../../../route';
import {contentsPath, filePath, type ContentFile, type Contents, type Version} from './models';

export interface FileText { path: string; length: number; sha256: string; text: string; source: boolean }
export const MANIFEST = '.manifest.json';
const TEXTS = /\.(fbc|py|json|jsonl|txt|md|csv|tsv|yaml|yml|toml|ini|html|xml|labels)$/i;
export const looksLikeText = (path: string): boolean => path === MANIFEST || TEXTS.test(path);

function Lines({of, file}: {of: Version; file: string}) {
  const loaded = useLoad<FileText>(filePath(of, file));
  return (
    <Card title={file === MANIFEST ? 'Manifest' : file} id="file-text" side={loaded.value && <span class="muted">{loaded.value.source ? 'source of the compiled script, ' : ''}{bytesText(loaded.value.length)}</span>}>
      <Loading of={loaded}>
        {(shown) => (
          <div class="code-scroll" tabIndex={0} role="region" aria-label={`${file}, scrolls`}>
            <ol class="code-lines">{shown.text.replace(/\n$/, '').split('\n').map((line, at) => <li key={at}><bdi>{line}</bdi></li>)}</ol>
          </div>
        )}
      </Loading>
    </Card>
  );
}

export function ContentsTab({of, query}: {of: Version; query: URLSearchParams}) {
  const contents = useLoad<Contents>(contentsPath(of));
  const reads = may('read');
  const file = query.get('file');
  const linkOf = (path: string): string | undefined => reads && looksLikeText(path) ? linkTo(['packages', of.name, of.version], {tab: 'contents', file: path}) : undefined;
  const columns: Column<ContentFile>[] = [
    {name: 'File', narrow: 'title', show: (row) => { const link = linkOf(row.path); return link ? <a href={link}><bdi>{row.path}</bdi></a> : <bdi>{row.path}</bdi>; }},
    {name: 'Size', number: true, narrow: 'end', show: (row) => bytesText(row.length)},
    {name: 'SHA-256', show: (row) => <Id id={row.sha256} what="hash" />},
  ];
  return (
    <div class="stack">
      <Loading of={contents}>
        {(shown) => (
          <Card title="Files" side={<span class="muted">{countText(shown.files.length)} files, {bytesText(shown.files.reduce((sum, item) => sum + item.length, 0))}</span>}>
            <Table label="Files of the version" id="contents" columns={columns} rows={shown.files} keyOf={(row) => row.path} empty="The package holds no file." />
            {reads ? <p><a href={linkTo(['packages', of.name, of.version], {tab: 'contents', file: MANIFEST})}>Manifest</a> <span class="muted">What is read here stands in the audit log.</span></p>
              : <p class="muted" id="reads-not">Scripts and the manifest are shown to the role developer.</p>}
          </Card>
        )}
      </Loading>
      {file && reads && <Lines key={file} of={of} file={file} />}
    </div>
  );
}
