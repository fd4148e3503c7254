import { useState } from 'preact/hooks';
import type { Dataset } from '../../clients/typescript/src/generated/datasets-types.js';
import { useView } from '../client/view.js';
import { Button } from '../parts/button.js';
import { fieldFault } from '../parts/faults.js';
import { Select, TextArea, TextField } from '../parts/field.js';
import { FaultNotice } from '../parts/notice.js';
import { Tabs } from '../parts/tabs.js';
import { markedText } from '../parts/text-pieces.js';
import { useDataset, useDatasets } from './questions.js';
import { scorerCodec } from './state.js';
import type { ScorerDraft } from './use-draft.js';

const grounds = [
  { key: 'dataset', text: 'On a dataset' },
  { key: 'sample', text: 'On one sample' },
] as const;

/** Chooses what the code is validated on, and starts it. */
export const ValidationForm = (props: {
  readonly draft: ScorerDraft;
  readonly mayValidate: boolean;
  readonly onValidate: () => void;
}) => {
  const { draft } = props;
  const [view, change] = useView(scorerCodec);
  const { fault, permit } = draft.validate;
  return (
    <form
      class="card stack"
      aria-label="Validation"
      onSubmit={(event) => {
        event.preventDefault();
        props.onValidate();
      }}
    >
      <Tabs
        label="What to validate on"
        tabs={grounds}
        selected={view.on}
        onSelect={(on) => change({ on })}
      />
      {view.on === 'dataset' ? <DatasetFields draft={draft} /> : <SampleFields draft={draft} />}
      {fieldFault(fault, 'starting_token') === null && <FaultNotice fault={fault} />}
      <div class="inline">
        <Button
          type="submit"
          look="primary"
          permit={permit}
          isDisabled={!props.mayValidate}
          title="Ctrl+Enter"
        >
          {view.on === 'dataset' ? 'Validate' : 'Try'}
        </Button>
        <span class="note">{permit.reason}</span>
      </div>
    </form>
  );
};

const DatasetFields = ({ draft }: { readonly draft: ScorerDraft }) => {
  const [view, change] = useView(scorerCodec);
  const [find, setFind] = useState('');
  const list = useDatasets(find);
  const chosen = useDataset(view.dataset);
  const datasets = withChosen(list.value?.datasets ?? [], chosen.value);
  const dataset = datasets.find(({ id }) => id === view.dataset);
  return (
    <>
      {(list.value?.isCut === true || find !== '') && (
        <TextField label="Find a dataset" type="search" value={find} onInput={setFind} />
      )}
      <FaultNotice fault={list.fault ?? chosen.fault} />
      <div class="scorer-fields">
        <Select
          label="Dataset"
          value={view.dataset ?? ''}
          choices={[
            { value: '', text: list.value?.datasets.length === 0 ? 'No dataset' : 'Choose one' },
            ...datasets.map(({ id, name }) => ({ value: id, text: markedText(name) })),
          ]}
          onChange={(id) => change({ dataset: id === '' ? null : id, version: null, first: 0 })}
        />
        <Select
          label="Version"
          value={String(view.version ?? '')}
          choices={versionChoices(dataset)}
          isDisabled={dataset === undefined}
          onChange={(text) => change({ version: text === '' ? null : Number(text) })}
        />
        <CountField
          label="First row"
          count={view.first + 1}
          least={1}
          greatest={Number.MAX_SAFE_INTEGER}
          complaint={fieldFault(draft.validate.fault, 'starting_token')}
          onChange={(number) => change({ first: number - 1 }, 'replace')}
        />
        <CountField
          label="Rows"
          count={view.rows}
          least={1}
          greatest={rowsMax}
          complaint={fieldFault(draft.validate.fault, 'limit')}
          onChange={(rows) => change({ rows }, 'replace')}
        />
      </div>
      {dataset !== undefined && (
        <span class="note">{dataset.num_rows.toLocaleString('en')} rows, counted from 1.</span>
      )}
    </>
  );
};

const withChosen = (listed: readonly Dataset[], chosen: Dataset | undefined): readonly Dataset[] =>
  chosen === undefined || listed.some(({ id }) => id === chosen.id) ? listed : [chosen, ...listed];

/** Versions to choose from; older ones are on the dataset's page. */
const versionsMax = 100;

const versionChoices = (dataset: Dataset | undefined) => {
  const current = dataset?.current_version_index ?? 0;
  const older = Array.from(
    { length: Math.min(Math.max(current - 1, 0), versionsMax) },
    (_version, index) => ({
      value: String(current - 1 - index),
      text: `v${current - 1 - index}`,
    }),
  );
  return [{ value: '', text: current === 0 ? '–' : `v${current} (current)` }, ...older];
};

/** Rows of one validation (contract 4.11). */
const rowsMax = 1_000;

/** A whole number that applies while it is within its bounds. */
const CountField = (props: {
  readonly label: string;
  readonly count: number;
  readonly least: number;
  readonly greatest: number;
  readonly complaint: string | null;
  readonly onChange: (count: number) => void;
}) => {
  const { count, least, greatest } = props;
  const [typed, setTyped] = useState<string | null>(null);
  const isCount = (text: string): boolean =>
    /^\d+$/.test(text) && Number(text) >= least && Number(text) <= greatest;
  const text = typed !== null && (!isCount(typed) || Number(typed) === count) ? typed : `${count}`;
  const bounds =
    greatest === Number.MAX_SAFE_INTEGER ? `${least} at least` : `${least} to ${greatest}`;
  return (
    <TextField
      label={props.label}
      type="number"
      value={text}
      complaint={isCount(text) ? props.complaint : bounds}
      onInput={(next) => {
        setTyped(next);
        if (isCount(next)) props.onChange(Number(next));
      }}
    />
  );
};

const SampleFields = ({ draft }: { readonly draft: ScorerDraft }) => {
  const { sample, setSample } = draft;
  return (
    <>
      <TextArea
        label="Input"
        rows={3}
        value={sample.input}
        placeholder="test input"
        onInput={(input) => setSample({ ...sample, input })}
      />
      <TextArea
        label="Output"
        rows={3}
        value={sample.output}
        placeholder="test output"
        onInput={(output) => setSample({ ...sample, output })}
      />
    </>
  );
};
