import { gzipSync } from 'node:zlib';
import {
  attack,
  logLongTraces,
  headOf,
  abandonRequests,
  runLoops,
  logTrace,
  holdSockets,
  loremText,
  type Attack,
} from './attackers.js';

const widePages = attack(
  'wide-pages',
  (stage) => logLongTraces(stage, 300, 200_000),
  (stage, _, signal) =>
    runLoops(8, signal, () =>
      stage.client.send('POST', `${stage.root}/traces/search`, {
        body: { log_stream_id: stage.run, limit: 1_000 },
      }),
    ),
);

/** The most values in lists of one request (contract 1.11): 100 of `contains`, 2,000 in all. */
const needlesMax = 100;
const listedMax = 1_900;
const listed = Array.from({ length: listedMax / 2 }, (_value, n) => `another ${n}`);

const endlessQuestions = attack(
  'endless-questions',
  (stage) => {
    // Each needle is looked for in all of a text, and found at its end.
    const end = Array.from({ length: needlesMax }, (_needle, n) => needleOf(n)).join('');
    return logLongTraces(stage, 200, 200_000, end);
  },
  async (stage, _, signal) => {
    const leaf = { type: 'text', name: 'input', case_sensitive: false };
    const needles = Array.from({ length: needlesMax }, (_needle, n) => needleOf(n));
    const filters = [
      { ...leaf, operator: 'contains', value: needles },
      { ...leaf, operator: 'not_in', value: listed },
      { ...leaf, name: 'output', operator: 'not_in', value: listed },
    ];
    const body = { log_stream_id: stage.run, filters };
    const path = `${stage.root}/traces/search`;
    // Every other one leaves: what was asked for it has to end too.
    await runLoops(8, signal, (n) =>
      n % 2 === 0
        ? stage.client.send('POST', path, { body })
        : abandonRequests(stage, path, body, 500),
    );
  },
);
const needleOf = (n: number): string => `dolor sit amet ${100 + n}`;

/** Names that have all needles of `listings`. */
const listingsCount = 600;
const letters = Array.from({ length: 75 }, (_needle, n) => String(n + 10));

const listings = attack(
  'listings',
  async ({ client, root }) => {
    for (let from = 0; from < listingsCount; from += 20) {
      const names = Array.from({ length: 20 }, (_name, n) => `${letters.join(' ')} ${from + n}`);
      await Promise.all(
        names.map((name) => client.call('POST', `${root}/log_streams`, { body: { name } })),
      );
    }
  },
  (stage, _, signal) => {
    const leaf = { name: 'name', case_sensitive: false };
    const filters = [
      { ...leaf, operator: 'contains', value: letters },
      { ...leaf, operator: 'not_in', value: listed },
      { ...leaf, operator: 'not_in', value: listed },
    ];
    return runLoops(8, signal, () =>
      stage.client.send('POST', `${stage.root}/log_streams/search`, { body: { filters } }),
    );
  },
);

const bigAnswers = attack(
  'big-answers',
  async (stage) => {
    const spans = Array.from({ length: 9 }, () => ({ type: 'tool', input: loremText(1_000_000) }));
    return logTrace(stage, { spans });
  },
  (stage, trace, signal) =>
    runLoops(400, signal, () => stage.client.send('GET', `${stage.root}/traces/${trace}`)),
);

const deafReaders = attack('deaf-readers', bigAnswers.prepare, (stage, trace, signal) => {
  const bytes = headOf(stage, `GET ${stage.root}/traces/${String(trace)}`, []);
  return holdSockets(stage, { count: 80, bytes }, signal);
});

const gzipBombs = attack(
  'gzip-bombs',
  () => Promise.resolve(gzipSync(`{"name":"${' '.repeat(10_000_000)}"}`)),
  (stage, bomb, signal) =>
    runLoops(200, signal, () =>
      stage.client.send('POST', `${stage.root}/traces`, {
        body: bomb,
        headers: { 'Content-Encoding': 'gzip' },
      }),
    ),
);

const slowBodies = attack(
  'slow-bodies',
  () => Promise.resolve(),
  (stage, _, signal) => {
    const [first = '', ...others] = headOf(stage, `POST ${stage.root}/traces`, [
      'Content-Type: application/json',
      'Content-Length: 1048576',
    ]).split('\r\n');
    const anonymous = others.filter((line) => !line.startsWith('Service-API-Key'));
    const bytes = `${[first, ...anonymous].join('\r\n')}{`;
    return holdSockets(stage, { count: 512, bytes }, signal);
  },
);

const futurePositions = attack(
  'future-positions',
  () => Promise.resolve(),
  (stage, _, signal) =>
    runLoops(500, signal, () =>
      stage.client.send('GET', stage.root, { headers: { 'X-Min-Position': 'f'.repeat(16) } }),
    ),
);

export const attacksByRequests: readonly Attack[] = [
  widePages,
  endlessQuestions,
  listings,
  bigAnswers,
  deafReaders,
  gzipBombs,
  slowBodies,
  futurePositions,
];
