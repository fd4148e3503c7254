import { join } from 'node:path';
import { startService } from '../support/service-process.js';
import { loaded, newProject, newRun, projected, type Bench } from './bench.js';
import { longSpansPerRequest, longTextBytes, rareLongWords } from './bodies.js';
import { askedStraight, questionRows, wordsIn, type Asked } from './questions.js';
import type { Row } from './row.js';
import { resultHash } from './stats.js';

const questions = [
  wordsIn('literal', 'words that one input of ten thousand has', rareLongWords),
  wordsIn('literal-nowhere', 'words that no input has', `${rareLongWords} ${rareLongWords}`),
];

export const literalRowNames = ['literal-load', ...questions.map(({ name }) => name)];

/** Words looked for in many bytes of inputs, which have no index (D-171). */
export const literalRows = async (bench: Bench): Promise<readonly Row[]> => {
  const dir = join(bench.dir, 'literal');
  const service = await startService({ dir });
  const requests = Math.ceil(bench.textBytes / longTextBytes / longSpansPerRequest);
  const spans = requests * longSpansPerRequest;
  const load = { shape: 'long', seed: 17, from: 0, requests, connections: 8 } as const;
  let asked: readonly Asked[] = [];
  let place;
  let seconds: number;
  try {
    const root = await newProject(service.client, 'literal');
    place = { root, run: await newRun(service.client, root, 'literal') };
    bench.say(`literal-load: ${spans} spans with inputs of ${longTextBytes} bytes`);
    const began = performance.now();
    const done = await loaded(service, place, { ...load, requestsPerSecond: null });
    await projected(service, place, done.position);
    seconds = (performance.now() - began) / 1_000;
    asked = await questionRows({ ...bench, spans }, service, place, { questions, times: 10 });
  } finally {
    await service.stop();
  }
  const loadRow: Row = {
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
  return [loadRow, ...(await askedStraight({ ...bench, spans }, dir, place, asked))];
};
