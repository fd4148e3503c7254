import { useEffect, useState } from 'preact/hooks';
import type { Dataset } from '../../clients/typescript/src/generated/datasets-types.js';
import type { DatasetVersion } from '../../clients/typescript/src/generated/datasets-types-2.js';
import { TextDifference } from '../client/text-difference.js';
import { useView } from '../client/view.js';
import { Button } from '../parts/button.js';
import { Select } from '../parts/field.js';
import { EmptyNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import { markedText } from '../parts/text-pieces.js';
import { cellText } from './cells.js';
import { countedText } from './changes.js';
import { columnDifference, type ComparedColumns, type RowDifference } from './diff.js';
import { useVersion } from './questions.js';
import { datasetCodec } from './state.js';
import { useDatasetDiff } from './use-diff.js';

type Props = {
  readonly dataset: Dataset;
  readonly from: number;
  readonly to: number;
  /** Versions to choose from. */
  readonly versions: readonly DatasetVersion[];
};

/** The difference of two versions, joined by row. */
export const DiffView = (props: Props) => {
  const { dataset, from, to } = props;
  const [, change] = useView(datasetCodec);
  const current = dataset.current_version_index;
  const before = useVersion(dataset.id, from, current);
  const after = useVersion(dataset.id, to, current);
  const isUnknown = before.value === null || after.value === null;
  return (
    <section class="stack" aria-label={`Difference of v${from} and v${to}`}>
      <div class="spread">
        <h2>{`Difference of v${from} and v${to}`}</h2>
        <span class="inline">
          <VersionChoice
            {...props}
            label="From"
            version={from}
            onChoose={(v) => change({ from: v })}
          />
          <VersionChoice {...props} label="To" version={to} onChoose={(v) => change({ to: v })} />
          <Button onClick={() => change({ from: to, to: from })}>Swap</Button>
          <Button look="plain" onClick={() => change({ tab: 'versions', from: null, to: null })}>
            Close
          </Button>
        </span>
      </div>
      <FaultNotice fault={before.fault ?? after.fault} />
      {isUnknown && <EmptyNotice title="The dataset has no such version" />}
      {before.value != null && after.value != null && (
        <Difference dataset={dataset} before={before.value} after={after.value} />
      )}
    </section>
  );
};

const VersionChoice = (
  props: Props & {
    readonly label: string;
    readonly version: number;
    readonly onChoose: (version: number) => void;
  },
) => {
  const known = props.versions.map(({ version_index: version }) => version);
  const all = known.includes(props.version) ? known : [props.version, ...known];
  return (
    <Select
      label={props.label}
      value={String(props.version)}
      choices={all.map((version) => ({ value: String(version), text: `v${version}` }))}
      onChange={(version) => props.onChoose(Number(version))}
    />
  );
};

/** Rows that are shown at once; a button shows as many more. */
const rowsAtOnce = 100;

const Difference = (props: {
  readonly dataset: Dataset;
  readonly before: DatasetVersion;
  readonly after: DatasetVersion;
}) => {
  const { columns, difference, failure, progress } = useDatasetDiff(props);
  const [shown, setShown] = useState(rowsAtOnce);
  useEffect(() => setShown(rowsAtOnce), [difference]);
  if (failure !== null) return <p role="alert">{failure}</p>;
  if (difference === null || columns === null) {
    return (
      <>
        <p class="note" role="status">{`${progress.toLocaleString('en')} rows read`}</p>
        <Skeleton rows={3} />
      </>
    );
  }
  const { added, removed, edited, same } = difference.counts;
  const rows = difference.rows.slice(0, shown);
  const total = added + removed + edited;
  return (
    <>
      <p role="status">
        {`${countedText(added, 'row')} added, ${countedText(removed, 'row')} removed, ` +
          `${countedText(edited, 'row')} edited, ${same.toLocaleString('en')} the same. `}
        {columnsText(columns)}
      </p>
      {rows.length > 0 && <DifferenceTable rows={rows} />}
      {difference.rows.length > shown && (
        <Button onClick={() => setShown(shown + rowsAtOnce)}>More rows</Button>
      )}
      {difference.rows.length < total && shown >= difference.rows.length && (
        <p class="note">
          {`The first ${difference.rows.length.toLocaleString('en')} of ` +
            `${total.toLocaleString('en')} rows. Export both versions for the others.`}
        </p>
      )}
    </>
  );
};

const columnsText = (columns: ComparedColumns): string => {
  const { came, went, renames } = columnDifference(columns);
  const quoted = (names: readonly string[]): string => names.map(markedText).join(', ');
  return [
    came.length > 0 && `Columns added: ${quoted(came)}.`,
    went.length > 0 && `Columns removed: ${quoted(went)}.`,
    ...renames.map(([old, now]) => `Column ${markedText(old)} is now ${markedText(now)}.`),
  ]
    .filter((text) => text !== false)
    .join(' ');
};

const DifferenceTable = ({ rows }: { readonly rows: readonly RowDifference[] }) => (
  <table class="grid-table row-differences">
    <thead>
      <tr>
        <th scope="col" class="number">
          Row
        </th>
        <th scope="col">Change</th>
        <th scope="col">Cells</th>
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr key={row.rowId} data-kind={row.kind}>
          <td class="number">{placeText(row)}</td>
          <td>{row.kind}</td>
          <td>
            <dl class="cell-differences">
              {row.cells.map(({ column, before, after }) => (
                <div key={column}>
                  <dt>{markedText(column)}</dt>
                  <dd>
                    <TextDifference
                      before={cellText(before)}
                      after={cellText(after)}
                      by="words"
                      showsBefore
                    />
                  </dd>
                </div>
              ))}
            </dl>
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

const placeText = ({ from, to }: RowDifference): string => {
  if (to === null) return String((from ?? 0) + 1);
  return from === null || from === to ? String(to + 1) : `${from + 1} → ${to + 1}`;
};
