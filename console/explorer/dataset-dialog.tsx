import { useState } from 'preact/hooks';
import type { Column } from '../../clients/typescript/src/generated/traces-types.js';
import type { Dataset } from '../../clients/typescript/src/generated/datasets-types.js';
import { containsFilter } from '../client/contains-filter.js';
import { useSurroundings } from '../client/context.js';
import { kindOf } from '../client/filter-context.js';
import { useAction, useCaller, useQuery } from '../client/queries.js';
import { filledColumns, withColumn, type FilledColumn } from '../datasets/filled-columns.js';
import { datasetCreationPermit } from '../datasets/model.js';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { Select, TextField } from '../parts/field.js';
import { FaultNotice } from '../parts/notice.js';
import { datasetPermit } from '../parts/permits.js';
import { markedText } from '../parts/text-pieces.js';
import type { RecordQuestion } from './questions.js';

type Props = {
  readonly population: 'trace' | 'span';
  readonly question: RecordQuestion;
  readonly count: number;
  readonly columns: readonly Column[];
  readonly onClose: () => void;
};

const listedMax = 20;
const recordsMax = 1_000;

/** Adds the records to a dataset as rows. */
export const DatasetDialog = (props: Props) => {
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<Dataset | null>(null);
  const datasets = useQuery({
    key: ['datasets', 'by name', name],
    ask: (operations, signal) =>
      operations.datasets.query(
        {
          filters: containsFilter('name', name),
          limit: listedMax,
        },
        { signal },
      ),
    keepsPrevious: true,
  });
  const kind = props.count === 1 ? props.population : kindOf[props.population];
  const title = `Add ${props.count} ${kind} to a dataset`;
  return (
    <Dialog title={title} onClose={props.onClose}>
      <FaultNotice fault={datasets.fault} />
      {chosen === null ? (
        <>
          <TextField
            label="Find a dataset, or name a new one"
            type="search"
            value={name}
            onInput={setName}
          />
          <ul class="column-list" aria-label="Datasets">
            {(datasets.value?.datasets ?? []).map((dataset) => (
              <DatasetChoice key={dataset.id} dataset={dataset} onChoose={setChosen} />
            ))}
          </ul>
          {datasets.value?.datasets.length === 0 && (
            <p class="note">{name === '' ? 'No dataset yet' : 'No dataset has this name'}</p>
          )}
          <NewDataset name={name.trim()} onMade={setChosen} />
        </>
      ) : (
        <MappingForm {...props} dataset={chosen} />
      )}
    </Dialog>
  );
};

const DatasetChoice = (props: {
  readonly dataset: Dataset;
  readonly onChoose: (dataset: Dataset) => void;
}) => {
  const { dataset } = props;
  const permit = datasetPermit(dataset);
  return (
    <li class="spread">
      <Button look="plain" permit={permit} onClick={() => props.onChoose(dataset)}>
        {dataset.name}
      </Button>
      <span class="note">{permit.reason ?? `${dataset.num_rows.toLocaleString('en')} rows`}</span>
    </li>
  );
};

const NewDataset = (props: {
  readonly name: string;
  readonly onMade: (dataset: Dataset) => void;
}) => {
  const { name, onMade } = props;
  const caller = useCaller();
  const make = useAction(
    datasetCreationPermit(caller.value),
    async (operations, _input, { strict = true }) =>
      onMade(await operations.datasets.create({ name }, { strict })),
    ['datasets'],
  );
  return (
    <>
      <FaultNotice fault={make.fault} />
      <Button
        permit={make.permit}
        isDisabled={name === '' || make.isRunning}
        title="Its columns are input and output"
        onClick={() => void make.run()}
      >
        {name === '' ? 'Make a dataset' : `Make the dataset ${name}`}
      </Button>
    </>
  );
};

const none = '';

/** Each column of the dataset with what fills it, and a choice of further ones. */
const FilledColumns = (props: {
  readonly filled: readonly FilledColumn[];
  readonly columns: readonly Column[];
  readonly onChange: (filled: readonly FilledColumn[]) => void;
}) => {
  const { filled, columns, onChange } = props;
  const used = new Set(filled.map(({ source }) => source));
  const choices = columns.map(({ id, label }) => ({ value: id, text: markedText(label) }));
  return (
    <>
      {filled.map(({ name, source, role }) => (
        <Select
          key={name}
          label={markedText(name)}
          {...(role !== null && { hint: role })}
          value={source ?? none}
          choices={[{ value: none, text: '(empty)' }, ...choices]}
          onChange={(id) =>
            onChange(
              filled.map((one) =>
                one.name === name ? { ...one, source: id === none ? null : id } : one,
              ),
            )
          }
        />
      ))}
      <Select
        label="Add a column"
        value={none}
        choices={[
          { value: none, text: 'Choose what fills it…' },
          ...choices.filter(({ value }) => !used.has(value)),
        ]}
        onChange={(id) => id !== none && onChange(withColumn(filled, id))}
      />
    </>
  );
};

const MappingForm = (props: Props & { readonly dataset: Dataset }) => {
  const { navigation } = useSurroundings();
  const { dataset, columns } = props;
  const [filled, setFilled] = useState(() =>
    filledColumns(dataset, new Set(columns.map(({ id }) => id))),
  );
  const [result, setResult] = useState<string | null>(null);
  const add = useAction(
    datasetPermit(dataset),
    async (operations, _input, options) => {
      const used = filled.flatMap(({ name, source }) => (source === null ? [] : [[name, source]]));
      const { project_id, ...records } = props.question;
      const answer = await operations.datasets.appendRecords(
        {
          ...records,
          project_id,
          dataset_id: dataset.id,
          kind: kindOf[props.population],
          columns: Object.fromEntries(used),
          limit: recordsMax,
        },
        options,
      );
      setResult(
        `${answer.added_count} added, ${answer.present_count} were there, ` +
          `${answer.left_out.length} too large`,
      );
    },
    ['datasets'],
  );
  const isEmpty = filled.every(({ source }) => source === null);
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void add.run();
      }}
    >
      <FilledColumns filled={filled} columns={columns} onChange={setFilled} />
      <FaultNotice fault={add.fault} />
      <Button type="submit" look="primary" isDisabled={isEmpty || add.isRunning}>
        Add to {dataset.name}
      </Button>
      <p role="status">
        {result !== null && (
          <>
            {result}. <a href={navigation.href(`/datasets/${dataset.id}`)}>Open the dataset</a>
          </>
        )}
      </p>
    </form>
  );
};
