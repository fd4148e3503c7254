import { useState } from 'preact/hooks';
import type {
  RankingCriteria,
  RankingCriterion,
} from '../../clients/typescript/src/generated/experiments-types-2.js';
import { useAction } from '../client/queries.js';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { Select, TextField } from '../parts/field.js';
import { metricLabel } from '../parts/metrics.js';
import { FaultNotice } from '../parts/notice.js';
import type { Permit } from '../parts/permits.js';

type Row = { readonly metric: string; readonly weight: string; readonly direction: Direction };
type Direction = RankingCriterion['direction'];

const directions = [
  { value: 'higher', text: 'higher is better' },
  { value: 'lower', text: 'lower is better' },
] as const;

/** Criteria that a project has at most (contract 5.5). */
const criteriaMax = 50;

/** Changes what experiments of the project are ranked by. */
export const CriteriaDialog = (props: {
  readonly projectId: string;
  readonly permit: Permit<'editor'>;
  readonly criteria: RankingCriteria;
  /** Metrics that experiments have. */
  readonly metrics: readonly string[];
  readonly onClose: () => void;
}) => {
  const [rows, setRows] = useState<readonly Row[]>(
    props.criteria.criteria.map((one) => ({ ...one, weight: String(one.weight) })),
  );
  const save = useAction(
    props.permit,
    async (operations, wanted: readonly Row[], options) => {
      const criteria = wanted.map((row) => ({ ...row, weight: Number(row.weight) }));
      const input = { project_id: props.projectId, criteria };
      await operations.experiments.setRankingCriteria(input, options);
      props.onClose();
    },
    ['experiments'],
  );
  const names = [...new Set([...rows.map(({ metric }) => metric), ...props.metrics])].filter(
    (name) => name !== '',
  );
  const unused = names.find((name) => rows.every(({ metric }) => metric !== name));
  const set = (index: number, change: Partial<Row>): void =>
    setRows(rows.map((row, place) => (place === index ? { ...row, ...change } : row)));
  return (
    <Dialog title="Ranking criteria" onClose={props.onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void save.run(rows);
        }}
      >
        <p class="note">
          Each metric counts from 0 for the worst to 1 for the best of its group, times its weight.
          They apply to all experiments of the project.
        </p>
        {rows.map((row, index) => (
          <CriterionFields
            key={index}
            row={row}
            names={names}
            onChange={(change) => set(index, change)}
            onRemove={() => setRows(rows.filter((_row, place) => place !== index))}
          />
        ))}
        <FaultNotice fault={save.fault} />
        <Buttons
          canAdd={unused !== undefined && rows.length < criteriaMax}
          canSave={rows.length > 0 && !save.isRunning}
          canReset={!props.criteria.default && !save.isRunning}
          onAdd={() =>
            setRows([...rows, { metric: unused ?? '', weight: '1', direction: 'higher' }])
          }
          onReset={() => void save.run([])}
        />
      </form>
    </Dialog>
  );
};

const Buttons = (props: {
  readonly canAdd: boolean;
  readonly canSave: boolean;
  readonly canReset: boolean;
  readonly onAdd: () => void;
  readonly onReset: () => void;
}) => (
  <div class="inline">
    <Button isDisabled={!props.canAdd} onClick={props.onAdd}>
      Add a metric
    </Button>
    <Button type="submit" look="primary" isDisabled={!props.canSave}>
      Save
    </Button>
    <Button
      isDisabled={!props.canReset}
      title="Metrics with a threshold rank, each with weight 1"
      onClick={props.onReset}
    >
      By thresholds
    </Button>
  </div>
);

const CriterionFields = (props: {
  readonly row: Row;
  readonly names: readonly string[];
  readonly onChange: (change: Partial<Row>) => void;
  readonly onRemove: () => void;
}) => {
  const { row, names, onChange } = props;
  return (
    <div class="criterion">
      <Select
        label="Metric"
        value={row.metric}
        choices={names.map((name) => ({ value: name, text: metricLabel(name) }))}
        onChange={(metric) => onChange({ metric })}
      />
      <Select
        label="Direction"
        value={row.direction}
        choices={directions}
        onChange={(direction) => onChange({ direction })}
      />
      <TextField
        label="Weight"
        type="number"
        value={row.weight}
        onInput={(weight) => onChange({ weight })}
        isRequired
      />
      <Button look="plain" label={`Remove ${metricLabel(row.metric)}`} onClick={props.onRemove}>
        Remove
      </Button>
    </div>
  );
};
