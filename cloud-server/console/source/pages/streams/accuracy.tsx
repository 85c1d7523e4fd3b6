// How right a stream's answers are, against labels that the operator put up: in all, and day by day. The address holds the question.
import {useState} from 'preact/hooks';
import {to} from '../../api/calls';
import {useLoad} from '../../api/load';
import {Chart} from '../../parts/chart';
import {Input} from '../../parts/field';
import {Card, Facts, Problem} from '../../parts/page';
import {countText, shareText} from '../../parts/text';
import {setQuery} from '../../route';
import {dayTimes} from './use';

interface Question { set: string; key: string; value: string }

function Answer({stream, question: {set, key, value}}: {stream: string; question: Question}) {
  const loaded = useLoad(to('/accuracy', {query: {set, stream, key, value}}));
  const found = loaded.value;
  if (loaded.error) return <Problem error={loaded.error} stale={found !== undefined} />;
  if (!found) return <p class="waiting">Counting...</p>;
  const days = Object.entries(found.days ?? {}).sort(([a], [b]) => a < b ? -1 : 1);
  return (
    <div class="stack" id="accuracy">
      <Facts rows={[['Right', `${countText(found.right)} of ${countText(found.rows)}, ${shareText(found.right, found.rows)}`],
        ['Without a label', countText(found.unlabelled)], ['Labels without a record', countText(found.missing)],
        ...(found.latency.rows > 0 ? [['Took', `half within ${Math.round(found.latency.p50)} us, 99 of 100 within ${Math.round(found.latency.p99)} us`] as [string, string]] : [])]} />
      {days.length > 1 && <Chart label="Right answers by day, in percent" times={dayTimes(days.map(([day]) => day))}
        lines={[{name: '% right', colour: '--good', values: days.map(([, count]) => 100 * count.right / Math.max(1, count.rows))}]} />}
      {days.length === 1 && <p class="muted">All records are of {days[0]?.[0]}: a chart begins with the second day.</p>}
    </div>
  );
}

export function AccuracyCard({stream, query}: {stream: string; query: URLSearchParams}) {
  const asked: Question = {set: query.get('set') ?? '', key: query.get('key') ?? 'image', value: query.get('value') ?? 'digit'};
  const [set, setSet] = useState(asked.set), [key, setKey] = useState(asked.key), [value, setValue] = useState(asked.value);
  return (
    <Card title="Accuracy over time">
      <form class="search" onSubmit={(event) => { event.preventDefault(); if (set) setQuery({set, key, value}); }}>
        <Input id="accuracy-set" label="Set of labels" value={set} onInput={setSet} placeholder="as in: ferry label put SET" />
        <Input id="accuracy-key" label="Member with the key" value={key} onInput={setKey} />
        <Input id="accuracy-value" label="Member with the answer" value={value} onInput={setValue} />
        <button type="submit" class="button" id="accuracy-count" disabled={!set || !key || !value}>Count</button>
      </form>
      {asked.set && <Answer key={`${asked.set} ${asked.key} ${asked.value}`} stream={stream} question={asked} />}
    </Card>
  );
}
