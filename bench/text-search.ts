import { join } from 'node:path';
import { startService } from '../test/support/service-process.js';
import {
  runLoad,
  newProject,
  newRun,
  waitForPosition,
  type BenchContext,
} from './bench-context.js';
import { longSpansPerRequest, longTextBytes, rareLongWords } from './bodies.js';
import { directQueryRows, queryRows, textQuery, type QueryResult } from './queries.js';
import type { ResultRow } from './result-rows.js';
import { resultHash } from './statistics.js';

const questions = [
  textQuery('literal', 'words that one input of ten thousand has', rareLongWords),
  textQuery('literal-nowhere', 'words that no input has', `${rareLongWords} ${rareLongWords}`),
];

export const textSearchRowNames = ['literal-load', ...questions.map(({ name }) => name)];

/** Words looked for in many bytes of inputs, which have no index (D-171). */
export const textSearchRows = async (bench: BenchContext): Promise<readonly ResultRow[]> => {
  const dir = join(bench.dir, 'literal');
  const service = await startService({ dir });
  const requests = Math.ceil(bench.textBytes / longTextBytes / longSpansPerRequest);
  const spans = requests * longSpansPerRequest;
  const load = { shape: 'long', seed: 17, from: 0, requests, connections: 8 } as const;
  let asked: readonly QueryResult[] = [];
  let place;
  let seconds: number;
  try {
    const root = await newProject(service.client, 'literal');
    place = { root, run: await newRun(service.client, root, 'literal') };
    bench.say(`literal-load: ${spans} spans with inputs of ${longTextBytes} bytes`);
    const began = performance.now();
    const done = await runLoad(service, place, { ...load, requestsPerSecond: null });
    await waitForPosition(service, place, done.position);
    seconds = (performance.now() - began) / 1_000;
    asked = await queryRows({ ...bench, spans }, service, place, { questions, times: 10 });
  } finally {
    await service.stop();
  }
  const loadRow: ResultRow = {
    name: 'literal-load',
    what: 'inputs of 8 KiB until reads show all of them',
    parameters: { spans, bytes: spans * longTextBytes },
    unit: 'MB/s',
    measured: { value: (spans * longTextBytes) / seconds / 1e6, spread: 0, samples: 1 },
    baseline: null,
    target: null,
    more: { 'spans/s': spans / seconds },
    hash: resultHash(spans),
  };
  return [loadRow, ...(await directQueryRows({ ...bench, spans }, dir, place, asked))];
};
