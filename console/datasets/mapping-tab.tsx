import { useState } from 'preact/hooks';
import type { Dataset } from '../../clients/typescript/src/generated/datasets-types.js';
import { useAction } from '../client/queries.js';
import { useUnsaved } from '../client/unsaved.js';
import { Button } from '../parts/button.js';
import { Checkbox, Select, TextField } from '../parts/field.js';
import { FaultNotice } from '../parts/notice.js';
import { datasetPermit } from '../parts/permits.js';
import { RecordedText } from '../parts/recorded-text.js';
import { markedText } from '../parts/text-pieces.js';
import {
  columnRoles,
  editedMapping,
  isSameMapping,
  rowOfExperiment,
  withMetricColumn,
  withRoleColumn,
  writtenMapping,
  type ColumnRoleName,
  type EditedMapping,
} from './mapping.js';
import { useDatasetRows } from './questions.js';

type Props = {
  readonly dataset: Dataset;
  readonly tag: string;
  /** Asks for the dataset again. */
  readonly onStale: () => void;
};

/** Columns by their role, and three rows as an experiment sees them. */
export const MappingTab = (props: Props) => {
  const { dataset } = props;
  const [kept, keep] = useUnsaved<EditedMapping>(`mapping ${dataset.id}`);
  const saved = editedMapping(dataset.column_mapping);
  const mapping = kept ?? saved;
  const permit = datasetPermit(dataset);
  const edit = (next: EditedMapping): void => keep(isSameMapping(next, saved) ? null : next);
  const save = useMappingSave(props, mapping, () => keep(null));
  const isDisabled = !permit.isAllowed || save.isRunning;
  return (
    <>
      <p class="note">
        {dataset.column_mapping === null
          ? 'No mapping is set yet: columns named input, output, generated_output and metadata ' +
            'have these roles.'
          : 'Experiments and scorers read the rows by these roles.'}
      </p>
      {!permit.isAllowed && <p class="note">{`Read-only: ${permit.reason ?? ''}.`}</p>}
      <div class="mapping-roles">
        {columnRoles.map(({ role, title, hint }) => (
          <RoleColumns
            key={role}
            role={role}
            title={title}
            hint={hint}
            mapping={mapping}
            columns={dataset.column_names}
            isDisabled={isDisabled}
            onEdit={edit}
          />
        ))}
        <MetricColumns
          mapping={mapping}
          columns={dataset.column_names}
          isDisabled={isDisabled}
          onEdit={edit}
        />
      </div>
      {save.fault?.code === 'precondition_failed' && (
        <p class="notice stale-notice" role="alert">
          The dataset was changed meanwhile. Look at it, then save again.
        </p>
      )}
      {save.fault?.code !== 'precondition_failed' && <FaultNotice fault={save.fault} />}
      <div class="inline">
        <Button
          look="primary"
          permit={permit}
          isDisabled={isDisabled || kept === null}
          onClick={() => save.run(false)}
        >
          Save the mapping
        </Button>
        {dataset.draft && (
          <Button permit={permit} isDisabled={isDisabled} onClick={() => save.run(true)}>
            Save and publish
          </Button>
        )}
        {kept !== null && <Button onClick={() => keep(null)}>Discard</Button>}
      </div>
      <SampleRows
        dataset={dataset}
        mapping={mapping}
        isMapped={dataset.column_mapping !== null || kept !== null}
      />
    </>
  );
};

/** Saves the mapping, and publishes a draft with it. */
const useMappingSave = (
  { dataset, tag, onStale }: Props,
  mapping: EditedMapping,
  onSaved: () => void,
) => {
  const save = useAction(
    datasetPermit(dataset),
    async (operations, publishes: boolean, options) => {
      await operations.datasets.change(
        {
          dataset_id: dataset.id,
          column_mapping: writtenMapping(mapping),
          ...(publishes && { draft: false }),
        },
        { ...options, ifMatch: tag },
      );
      onSaved();
    },
    ['datasets'],
  );
  const run = async (publishes: boolean): Promise<void> => {
    if (!(await save.run(publishes))) onStale();
  };
  return {
    isRunning: save.isRunning,
    fault: save.fault,
    run: (publishes: boolean): void => void run(publishes),
  };
};

type EditProps = {
  readonly mapping: EditedMapping;
  readonly columns: readonly string[];
  readonly isDisabled: boolean;
  readonly onEdit: (mapping: EditedMapping) => void;
};

const choose = '';

const RoleColumns = (
  props: EditProps & {
    readonly role: ColumnRoleName;
    readonly title: string;
    readonly hint: string;
  },
) => {
  const { role, title, hint, mapping, columns, isDisabled, onEdit } = props;
  const { columns: chosen, flatten } = mapping.roles[role];
  const toggle = (column: string): void => onEdit(withRoleColumn(mapping, role, column));
  return (
    <section class="card mapping-role" aria-label={title}>
      <h2>{title}</h2>
      <Chips names={chosen} role={title} isDisabled={isDisabled} onRemove={toggle} />
      <Select
        label="Add a column"
        hint={hint}
        value={choose}
        isDisabled={isDisabled}
        choices={columnChoices(columns.filter((column) => !chosen.includes(column)))}
        onChange={(column) => (column === choose ? undefined : toggle(column))}
      />
      {chosen.length > 0 && (
        <Checkbox
          label="Spread cells that are objects"
          isChecked={flatten}
          isDisabled={isDisabled}
          onChange={(isOn) =>
            onEdit({
              ...mapping,
              roles: { ...mapping.roles, [role]: { columns: chosen, flatten: isOn } },
            })
          }
        />
      )}
    </section>
  );
};

const columnChoices = (columns: readonly string[]) => [
  { value: choose, text: '(choose)' },
  ...columns.map((column) => ({ value: column, text: markedText(column) })),
];

const Chips = (props: {
  readonly names: readonly string[];
  readonly role: string;
  readonly isDisabled: boolean;
  readonly onRemove: (name: string) => void;
}) => (
  <div class="inline">
    {props.names.length === 0 && <span class="muted">No column</span>}
    {props.names.map((name) => (
      <span key={name} class="chip">
        {markedText(name)}
        <Button
          look="plain"
          label={`Take ${markedText(name)} out of ${props.role}`}
          isDisabled={props.isDisabled}
          onClick={() => props.onRemove(name)}
        >
          ×
        </Button>
      </span>
    ))}
  </div>
);

/** Columns with the true values of metrics (`mgt`), one a metric. */
const MetricColumns = ({ mapping, columns, isDisabled, onEdit }: EditProps) => {
  const [metric, setMetric] = useState('');
  return (
    <section class="card mapping-role" aria-label="True values of metrics">
      <h2>True values of metrics</h2>
      <div class="inline">
        {mapping.metrics.length === 0 && <span class="muted">No metric</span>}
        {mapping.metrics.map((one) => (
          <span key={one.metric} class="chip">
            {`${markedText(one.metric)}: ${one.columns.map(markedText).join(', ')}`}
            <Button
              look="plain"
              label={`Take ${markedText(one.metric)} out`}
              isDisabled={isDisabled}
              onClick={() => onEdit(withMetricColumn(mapping, one.metric, null))}
            >
              ×
            </Button>
          </span>
        ))}
      </div>
      <TextField
        label="Metric"
        value={metric}
        onInput={setMetric}
        placeholder="toxicity"
        isDisabled={isDisabled}
      />
      <Select
        label="Its column"
        value={choose}
        isDisabled={isDisabled || metric.trim() === ''}
        choices={columnChoices(columns)}
        onChange={(column) => {
          if (column === choose) return;
          onEdit(withMetricColumn(mapping, metric.trim(), column));
          setMetric('');
        }}
      />
    </section>
  );
};

const samples = 3;

const SampleRows = (props: {
  readonly dataset: Dataset;
  readonly mapping: EditedMapping;
  readonly isMapped: boolean;
}) => {
  const { dataset, mapping, isMapped } = props;
  const count = Math.min(samples, dataset.num_rows);
  const rows = useDatasetRows(dataset.id, dataset.current_version_index, dataset.num_rows);
  const shown = Array.from({ length: count }, (_row, index) => rows.at(index)).filter(
    (row) => row !== undefined,
  );
  return (
    <section class="stack" aria-label="As an experiment sees them">
      <h2>As an experiment sees them</h2>
      <FaultNotice fault={rows.fault} onRetry={rows.retry} />
      {count === 0 && <p class="muted">The dataset has no rows yet.</p>}
      <ol class="sample-rows">
        {shown.map((row) => (
          <li key={row.row_id} class="card">
            <h3>Row {row.index + 1}</h3>
            <dl>
              {rowOfExperiment(isMapped ? mapping : null, row.values_dict).map(
                ({ title, text }) => (
                  <div key={title}>
                    <dt>{markedText(title)}</dt>
                    <dd>
                      {text === null ? <span class="muted">–</span> : <RecordedText text={text} />}
                    </dd>
                  </div>
                ),
              )}
            </dl>
          </li>
        ))}
      </ol>
    </section>
  );
};
