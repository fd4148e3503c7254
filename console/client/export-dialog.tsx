import { useState } from 'preact/hooks';
import type { Download } from '../../clients/typescript/src/call.js';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { Select } from '../parts/field.js';
import { fileNameOf } from '../parts/hostile-text.js';
import { printBytes } from '../parts/numbers.js';
import { readPermit } from '../parts/permits.js';
import { openRowCounter } from '../parts/row-counter.js';
import { useSurroundings } from './context.js';
import type { Operations } from './operations.js';

type Format = 'jsonl' | 'csv';
const types = { jsonl: 'application/x-ndjson', csv: 'text/csv' };

type Props = {
  readonly title: string;
  /** Without its ending. */
  readonly fileName: string;
  /** Noun for its lines, in plural. */
  readonly rows: string;
  /** Purpose of each format. */
  readonly texts: Readonly<Record<Format, string>>;
  readonly download: (operations: Operations, format: Format) => Promise<Download>;
  /** Another way, for a file that is not whole. */
  readonly otherwise?: string;
  readonly onClose: () => void;
};

type Progress = {
  readonly state: 'running' | 'whole' | 'cut';
  readonly rows: number;
  readonly bytes: number;
  readonly reason: string;
};

/** Saves an export of the service; a file whose transfer was cut is called so. */
export const ExportDialog = (props: Props) => {
  const [format, setFormat] = useState<Format>('jsonl');
  const { progress, run } = useExport(props, format);
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <Select
        label="Format"
        value={format}
        choices={[
          { value: 'jsonl', text: props.texts.jsonl },
          { value: 'csv', text: props.texts.csv },
        ]}
        onChange={setFormat}
      />
      <Button look="primary" isDisabled={progress?.state === 'running'} onClick={() => void run()}>
        Export
      </Button>
      <p role="status">{progress !== null && progressText(progress, props.rows)}</p>
      {progress?.state === 'cut' && (
        <p class="note">{`Nothing was kept. ${props.otherwise ?? ''}`}</p>
      )}
    </Dialog>
  );
};

const progressText = ({ state, rows, bytes, reason }: Progress, noun: string): string => {
  const size = `${rows.toLocaleString('en')} ${noun}, ${printBytes(bytes)}`;
  if (state === 'running') return `${size} so far`;
  return state === 'whole' ? `${size}: whole` : `Not whole: ${size} came. ${reason}`;
};

/** Chunks between two updates of the numbers. */
const chunksPerUpdate = 8;

const useExport = ({ fileName, download }: Props, format: Format) => {
  const { files, service } = useSurroundings();
  const [progress, setProgress] = useState<Progress | null>(null);
  const run = async (): Promise<void> => {
    const sink = await files.create(`${fileNameOf(fileName)}.${format}`, types[format]);
    if (sink === null) return;
    const counter = openRowCounter(format);
    let bytes = 0;
    let chunks = 0;
    const update = (state: Progress['state'], reason = ''): void =>
      setProgress({ state, rows: counter.rows(), bytes, reason });
    update('running');
    try {
      const { value: file } = await service.read(readPermit, (operations) =>
        download(operations, format),
      );
      for await (const chunk of file.bytes()) {
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
