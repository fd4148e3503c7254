import { useState } from 'preact/hooks';
import { useSurroundings } from '../client/context.js';
import { kindOf } from '../client/filter-context.js';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { Select } from '../parts/field.js';
import { printBytes } from '../parts/numbers.js';
import type { Population } from '../../kernel/records/record.js';
import { openRowCounter } from './export-lines.js';
import type { RecordQuestion, SortMember } from './questions.js';

type Props = {
  readonly population: Population;
  readonly question: RecordQuestion & { readonly sort?: SortMember };
  /** Records that the export has; undefined: not counted yet. */
  readonly count: number | undefined;
  readonly onClose: () => void;
};

type Format = 'jsonl' | 'csv';
const types = { jsonl: 'application/x-ndjson', csv: 'text/csv' };

type Progress = {
  readonly state: 'running' | 'whole' | 'cut';
  readonly rows: number;
  readonly bytes: number;
  readonly reason: string;
};

/** Saves all records of the question; a file whose transfer was cut is called so. */
export const ExportDialog = (props: Props) => {
  const [format, setFormat] = useState<Format>('jsonl');
  const { progress, run } = useExport(props, format);
  const kind = kindOf[props.population];
  const count = props.count?.toLocaleString('en') ?? 'all';
  return (
    <Dialog title={`Export ${count} ${kind}`} onClose={props.onClose}>
      <Select
        label="Format"
        value={format}
        choices={[
          { value: 'jsonl', text: 'JSON Lines, as a search answers' },
          { value: 'csv', text: 'CSV, for a spreadsheet' },
        ]}
        onChange={setFormat}
      />
      <Button look="primary" isDisabled={progress?.state === 'running'} onClick={() => void run()}>
        Export
      </Button>
      <p role="status">{progress !== null && progressText(progress)}</p>
      {progress?.state === 'cut' && (
        <p class="note">
          Nothing was kept. Large files come through the command line: assay export {kind}
        </p>
      )}
    </Dialog>
  );
};

const progressText = ({ state, rows, bytes, reason }: Progress): string => {
  const size = `${rows.toLocaleString('en')} lines, ${printBytes(bytes)}`;
  if (state === 'running') return `${size} so far`;
  return state === 'whole' ? `${size}: whole` : `Not whole: ${size} came. ${reason}`;
};

/** Chunks between two updates of the numbers. */
const chunksPerUpdate = 8;

const useExport = ({ population, question }: Props, format: Format) => {
  const { files, service } = useSurroundings();
  const [progress, setProgress] = useState<Progress | null>(null);
  const kind = kindOf[population];
  const run = async (): Promise<void> => {
    const sink = await files.create(`${kind}.${format}`, types[format]);
    if (sink === null) return;
    const counter = openRowCounter(format);
    let bytes = 0;
    let chunks = 0;
    const update = (state: Progress['state'], reason = ''): void =>
      setProgress({ state, rows: counter.rows(), bytes, reason });
    update('running');
    try {
      const { value: download } = await service.read((operations) =>
        operations[kind].export({ ...question, format }),
      );
      for await (const chunk of download.bytes()) {
        counter.add(chunk);
        bytes += chunk.length;
        chunks += 1;
        await sink.write(chunk);
        if (chunks % chunksPerUpdate === 0) update('running');
      }
      await sink.close();
      update('whole');
    } catch (error) {
      await sink.abort();
      update('cut', (error as Error).message);
    }
  };
  return { progress, run };
};
