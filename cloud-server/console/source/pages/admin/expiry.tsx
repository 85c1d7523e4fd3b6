// What expires: metadata and certificates.
import {to} from '../../api/calls';
import {useLoad} from '../../api/load';
import type {Status} from '../../api/types';
import {Card, Facts, Loading} from '../../parts/page';
import {Table, type Column} from '../../parts/table';
import {Badge, Said, Time, bytesText, spanText} from '../../parts/text';

type Expiring = NonNullable<Status['expires']>[number];

const COLUMNS: Column<Expiring>[] = [
  {name: 'What', narrow: 'title', show: (row) => <Said text={row.what} />},
  {name: 'State', narrow: 'end', show: (row) => <Badge tone={row.state === 'ok' ? 'good' : row.state === 'soon' ? 'wait' : 'bad'}>{row.state}</Badge>},
  {name: 'Expires', show: (row) => <Time ms={row.expires_ms} />},
  {name: 'Left', show: (row) => row.expires_ms > Date.now() ? spanText(row.expires_ms - Date.now()) : 'nothing'},
];

export function ExpirySection() {
  const status = useLoad(to('/status'), (event) => event.kind === 'status');
  return (
    <Loading of={status}>
      {(shown) => (
        <div class="stack">
          <Table label="What expires" id="expiry" columns={COLUMNS} rows={[...(shown.expires ?? [])].sort((a, b) => a.expires_ms - b.expires_ms)} keyOf={(row) => row.what} empty="The server says of nothing that it expires." />
          <div class="two">
            <Card title="Signed metadata" side={<span class="muted">versions</span>}><Facts rows={Object.entries(shown.metadata).map(([role, version]) => [role, String(version)])} /></Card>
            <Card title="Server"><Facts rows={[['Version', shown.version], ['This console', <a href="/LICENCES.txt">what it contains, and under which licences</a>], ...(shown.sizes ? [['Database', bytesText(shown.sizes.database)], ['Write-ahead log', bytesText(shown.sizes.log)]] as [string, string][] : [])] as [string, preact.ComponentChildren][]} /></Card>
          </div>
        </div>
      )}
    </Loading>
  );
}
