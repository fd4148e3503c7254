import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Dataset } from '../../clients/typescript/src/generated/datasets-types.js';
import type { DatasetVersion } from '../../clients/typescript/src/generated/datasets-types-2.js';
import { useSurroundings } from '../client/context.js';
import type { Operations } from '../client/operations.js';
import { readPermit } from '../parts/permits.js';
import type { ComparedColumns, DatasetDifference, DatasetMethods } from './diff.js';
import { versionsSince } from './questions.js';
import { followColumns } from './rebase.js';

type Input = {
  readonly dataset: Dataset;
  readonly before: DatasetVersion;
  readonly after: DatasetVersion;
};

type DiffState = {
  readonly columns: ComparedColumns | null;
  readonly difference: DatasetDifference | null;
  readonly failure: string | null;
  /** Rows that were read so far. */
  readonly progress: number;
};

const begun: DiffState = { columns: null, difference: null, failure: null, progress: 0 };
const rowsAtOnce = 1_000;

/** Compares two versions in a worker, which gets their rows as they come. */
export const useDatasetDiff = ({ dataset, before, after }: Input): DiffState => {
  const { service, workers } = useSurroundings();
  const worker = useMemo(() => workers.open<DatasetMethods>('datasets'), []);
  useEffect(() => () => worker.close(), []);
  const [state, setState] = useState(begun);
  const [from, to] = [before.version_index, after.version_index];
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const compare = async (): Promise<void> => {
      setState(begun);
      const { value: columns } = await service.read(readPermit, (operations) =>
        comparedColumns(operations, dataset.id, before, after, signal),
      );
      await worker.ask('begin', columns);
      let progress = 0;
      for (const [side, version_index] of [
        ['from', from],
        ['to', to],
      ] as const) {
        const page = { dataset_id: dataset.id, version_index, limit: rowsAtOnce };
        for await (const { rows } of service.api.datasets
          .versionContent(page, { signal })
          .pages()) {
          const compared = rows.map(({ row_id, index, values }) => ({ row_id, index, values }));
          await worker.ask('add', { side, rows: compared });
          progress += rows.length;
          setState({ ...begun, progress });
        }
      }
      const difference = await worker.ask('result', null);
      if (!signal.aborted) setState({ columns, difference, failure: null, progress });
    };
    compare().catch((error: Error) => {
      if (!signal.aborted) setState({ ...begun, failure: error.message });
    });
    return () => controller.abort();
  }, [dataset.id, from, to]);
  return state;
};

/** Columns of both versions, with those that were renamed on the way. */
const comparedColumns = async (
  operations: Operations,
  id: string,
  before: DatasetVersion,
  after: DatasetVersion,
  signal: AbortSignal,
): Promise<ComparedColumns> => {
  const isForward = before.version_index <= after.version_index;
  const [older, newer] = isForward ? [before, after] : [after, before];
  const later = await versionsSince(operations, id, older.version_index, signal);
  const between = later.filter(({ version_index: index }) => index <= newer.version_index);
  const pairs = [...followColumns(older.column_names, between)].flatMap(([old, now]) =>
    now === null || now === old ? [] : [[old, now] as const],
  );
  const renames = isForward ? pairs : pairs.map(([old, now]) => [now, old] as const);
  return { from: before.column_names, to: after.column_names, renames };
};
