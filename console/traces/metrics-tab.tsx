import { useMemo, useState } from 'preact/hooks';
import { Button } from '../parts/button.js';
import { metricLabel } from '../parts/metrics.js';
import { RecordedWord } from '../parts/recorded-text.js';
import { metricRows, tokenRows, type AnyRecord } from './record-facts.js';

const pageSize = 200;

/** Metrics of a record and where they come from; a record may have any number of them. */
export const MetricsTab = ({ record }: { readonly record: AnyRecord }) => {
  const [shown, setShown] = useState(pageSize);
  const rows = useMemo(() => metricRows(record), [record]);
  if (rows.length === 0) return <p class="muted">No metric was recorded or computed.</p>;
  return (
    <div class="stack">
      <table class="facts">
        <thead>
          <tr>
            <th scope="col">Metric</th>
            <th scope="col" class="number">
              Value
            </th>
            <th scope="col">Origin</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shown).map((row) => (
            <tr key={row.name}>
              <th scope="row">
                <RecordedWord text={metricLabel(row.name)} />
              </th>
              <td class="number">
                <RecordedWord text={row.text} />
              </td>
              <td class={row.error === null ? 'muted' : 'bad'}>
                {row.error === null ? row.origin : <RecordedWord text={`⚠ ${row.error}`} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <TokenTable record={record} />
      {rows.length > shown && (
        <Button onClick={() => setShown(shown + pageSize)}>{rows.length - shown} more</Button>
      )}
    </div>
  );
};

const TokenTable = ({ record }: { readonly record: AnyRecord }) => {
  const rows = tokenRows(record);
  if (rows.length === 0) return null;
  return (
    <table class="facts">
      <caption>Tokens by kind</caption>
      <thead>
        <tr>
          <th scope="col">Kind</th>
          <th scope="col" class="number">
            Tokens
          </th>
          <th scope="col" class="number">
            Cost
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ label, tokens, cost }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            <td class="number">{tokens}</td>
            <td class="number">{cost ?? '–'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};
