import { useState } from 'preact/hooks';
import type { Dataset } from '../../clients/typescript/src/generated/datasets-types.js';
import { useSurroundings } from '../client/context.js';
import { useAction, useCaller, useQuery } from '../client/queries.js';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { fieldFault } from '../parts/faults.js';
import { FileField, Select, TextField } from '../parts/field.js';
import { FaultNotice } from '../parts/notice.js';
import { markedText } from '../parts/text-pieces.js';
import { datasetCreationPermit } from './model.js';
import { datasetCodec } from './state.js';

/** Endings of files that the service reads. */
export const tableFiles = '.csv,.json,.jsonl,.ndjson,.txt,text/csv,application/json';
const projectsMax = 200;
const noProject = '';

/** Version that is copied; null: the current one. */
type CopySource = { readonly dataset: Dataset; readonly version: number | null };

/** Makes a dataset of a file, as a copy, or empty. One of a file is a draft until it is mapped. */
export const NewDatasetDialog = (props: {
  /** Undefined: of a file, or empty. */
  readonly source?: CopySource;
  readonly onClose: () => void;
}) => {
  const { source } = props;
  const [name, setName] = useState(source === undefined ? '' : `${source.dataset.name} copy`);
  const [file, setFile] = useState<File | null>(null);
  const [project, setProject] = useState(noProject);
  const create = useCreation({ name, file, project, source }, props.onClose);
  const complaints = {
    name: fieldFault(create.fault, 'name'),
    file: fieldFault(create.fault, 'file'),
  };
  const isShown = complaints.name !== null || complaints.file !== null;
  const title = source === undefined ? 'New dataset' : `Copy ${markedText(source.dataset.name)}`;
  return (
    <Dialog title={title} onClose={props.onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void create.run();
        }}
      >
        {source === undefined && (
          <FileField
            label="File"
            hint="CSV, JSON or JSON Lines, 32 MB at most. Without one the dataset is empty."
            accept={tableFiles}
            complaint={complaints.file}
            onChoose={setFile}
          />
        )}
        <TextField
          label="Name"
          value={name}
          onInput={setName}
          complaint={complaints.name}
          isRequired={file === null}
          {...(file !== null && { placeholder: file.name.replace(/\.[^.]*$/, '') })}
        />
        <HomeProject value={project} onChange={setProject} />
        {!isShown && <FaultNotice fault={create.fault} />}
        <Button type="submit" look="primary" permit={create.permit} isDisabled={create.isRunning}>
          {create.isRunning ? 'Making…' : source === undefined ? 'Make' : 'Copy'}
        </Button>
      </form>
    </Dialog>
  );
};

type Wish = {
  readonly name: string;
  readonly file: File | null;
  readonly project: string;
  readonly source: CopySource | undefined;
};

/** Makes the dataset and goes there. Each try has a key of its own: its file may be another. */
const useCreation = ({ name, file, project, source }: Wish, onDone: () => void) => {
  const { navigation } = useSurroundings();
  return useAction(
    datasetCreationPermit(useCaller().value),
    async (operations, _input, { strict = true }) => {
      const made = await operations.datasets.create(
        {
          ...(name !== '' && { name }),
          ...(project !== noProject && { project_id: project }),
          ...(file !== null && { file, draft: true }),
          ...(source !== undefined && {
            copy_from_dataset_id: source.dataset.id,
            ...(source.version !== null && { copy_from_dataset_version_index: source.version }),
          }),
        },
        { strict },
      );
      onDone();
      const view = datasetCodec.read('');
      const tab = file === null ? 'rows' : 'mapping';
      navigation.go(`/datasets/${made.id}`, datasetCodec.write({ ...view, tab }));
    },
    ['datasets'],
  );
};

const HomeProject = (props: {
  readonly value: string;
  readonly onChange: (project: string) => void;
}) => {
  const projects = useQuery({
    key: ['projects', 'homes'],
    ask: async (operations, signal) => operations.projects.page({ limit: projectsMax }, { signal }),
    freshMs: 60_000,
  });
  const homes = (projects.value?.projects ?? []).filter(
    ({ role }) => role === 'editor' || role === 'owner',
  );
  return (
    <Select
      label="Home project"
      hint="Its editors may change the dataset, its viewers read it. It cannot be changed later."
      value={props.value}
      choices={[
        { value: noProject, text: 'only me' },
        ...homes.map(({ id, name }) => ({ value: id, text: markedText(name) })),
      ]}
      onChange={props.onChange}
    />
  );
};
