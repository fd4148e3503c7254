import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { clientOf, type Client } from '../test/support/client.js';
import { testCache } from '../test/support/sandboxes.js';
import { startService, type ServiceProcess } from '../test/support/service-process.js';
import type { AttackTenant } from './attackers.js';
import { attacks } from './attacks.js';
import {
  memoryOf,
  newProject,
  newRun,
  runAtRate,
  watchLag,
  type BenchContext,
} from './bench-context.js';
import { figure, type ResultRow } from './result-rows.js';
import { resultHash, summary } from './statistics.js';

const readKinds = ['count', 'trace'] as const;
/** Loads of honest projects that log a great deal, each by a process of its own. */
const heavyNeighbours = [
  { name: 'heavy-neighbour', projects: 1, what: 'one that logs a great deal' },
  { name: 'heavy-neighbours', projects: 4, what: 'four that log a great deal' },
] as const;

/** Rows of this group, so that one attack can be measured alone: `--only fairness-long-texts`. */
export const fairnessRowNames = [
  ...attacks.map(({ name }) => `fairness-${name}`),
  ...heavyNeighbours.flatMap(({ name }) => readKinds.map((kind) => `${name}-${kind}`)),
];

/** Small reads and writes a second of the project that does nothing wrong, of each kind. */
const perSecond = 20;
const slowdownMax = 2;

/**
 * Effect of each attack on an innocent project: the 99th percentile of its small reads and writes,
 * beside the same without the attack; memory, lag and the end by SIGTERM amid it.
 */
export const fairnessRows = async (bench: BenchContext): Promise<readonly ResultRow[]> => {
  const rows: ResultRow[] = [];
  for (const { name } of attacks)
    if (bench.isWanted(`fairness-${name}`)) rows.push(await fairnessRow(bench, name));
  for (const load of heavyNeighbours)
    if (readKinds.some((kind) => bench.isWanted(`${load.name}-${kind}`)))
      rows.push(...(await heavyNeighbourRows(bench, load)));
  return rows;
};

/** A service, and processes beside it that will load it. */
const startWithAttackers = async (bench: BenchContext, name: string, count: number) => {
  const service = await startService({
    dir: join(bench.dir, name),
    env: {
      ASSAY_SANDBOX: 'strict',
      ASSAY_SANDBOX_DIR: testCache,
      ASSAY_TRUSTED_PROXIES: '127.0.0.1',
    },
  });
  const attackers = Array.from({ length: count }, () =>
    fork(new URL('./attacker-process.js', import.meta.url)),
  );
  const takeAlong = (): void => attackers.forEach((one) => one.kill('SIGKILL'));
  process.once('exit', takeAlong);
  return { service, attackers, takeAlong };
};

type Answered = Readonly<Record<string, number>>;

/** Starts the prepared loads. The function returned adds up what they were answered so far. */
const strike = (attackers: readonly ChildProcess[]): (() => Answered) => {
  const said = new Map<ChildProcess, Answered>();
  for (const one of attackers) {
    one.on('message', (now: Answered) => said.set(one, now));
    one.send('strike');
  }
  return () => {
    const sum: Record<string, number> = {};
    for (const answered of said.values())
      for (const [name, count] of Object.entries(answered)) sum[name] = (sum[name] ?? 0) + count;
    return sum;
  };
};

const readsPerSecond = 10;
/** Limits of the 99th percentile: times that without the neighbour, and milliseconds. */
const heavyLimits = { times: 4, ms: 1_000 };

/** Effect of honest projects that log a great deal on the reads of another one. */
const heavyNeighbourRows = async (
  bench: BenchContext,
  { name, projects, what }: (typeof heavyNeighbours)[number],
): Promise<readonly ResultRow[]> => {
  const seconds = bench.smoke ? 1 : 20;
  bench.say(`${name}: ${seconds} s without and with`);
  const { service, attackers, takeAlong } = await startWithAttackers(bench, name, projects);
  try {
    const innocent = await innocentOf(service);
    for (const [at, attacker] of attackers.entries()) {
      const stage = await tenant(service, `heavy-${at}`);
      await requestReply(attacker, { attack: 'heavy-neighbour', stage });
    }
    await innocent.settled();
    await innocent.reads(2);
    const calm = await innocent.reads(seconds);
    const answered = strike(attackers);
    const beside = await innocent.reads(seconds);
    return readKinds.map((kind) => {
      const [usual, found] = [summary(calm[kind].took), summary(beside[kind].took)];
      return {
        name: `${name}-${kind}`,
        what: `p99 of ${kind} of another project beside ${what}`,
        parameters: {
          projects,
          'reads/s': 2 * readsPerSecond,
          'writes/s': readsPerSecond / 2,
          seconds,
        },
        unit: 'ms',
        measured: { ...figure(found), value: found.p99 },
        baseline: { what: 'p99 of the same without it', ...figure(usual), value: usual.p99 },
        target: { most: Math.min(heavyLimits.times * usual.p99, heavyLimits.ms) },
        more: {
          'median ms': found.median,
          'usual median ms': usual.median,
          'slowest ms': found.max,
          'not answered': beside[kind].refused,
          ...answered(),
        },
        hash: resultHash([calm[kind].refused]),
      };
    });
  } finally {
    takeAlong();
    process.off('exit', takeAlong);
    await service.kill();
  }
};

const fairnessRow = async (bench: BenchContext, attack: string): Promise<ResultRow> => {
  const seconds = bench.smoke ? 1 : 10;
  bench.say(`fairness-${attack}: ${seconds} s without and with`);
  const { service, attackers, takeAlong } = await startWithAttackers(
    bench,
    `fairness-${attack}`,
    1,
  );
  try {
    const innocent = await innocentOf(service);
    const stage = await tenant(service, 'attack');
    for (const attacker of attackers) await requestReply(attacker, { attack, stage });
    await innocent.settled();
    await innocent.works(2);
    const calm = await innocent.works(seconds);
    const lag = watchLag(service.opsUrl);
    const memory = watchMemory(service.pid);
    const answered = strike(attackers);
    const beside = await innocent.works(seconds);
    const lags = await lag.stop();
    const highest = memory.stop();
    const stopping = performance.now();
    const exit = await service.stop();
    const stopMs = performance.now() - stopping;
    const [usual, found] = [summary(calm.took), summary(beside.took)];
    return {
      name: `fairness-${attack}`,
      what: 'p99 of small reads and writes of another project beside the attack',
      parameters: { 'reads and writes/s': 2 * perSecond, seconds },
      unit: 'ms',
      measured: { ...figure(found), value: found.p99 },
      baseline: { what: 'p99 of the same without it', ...figure(usual), value: usual.p99 },
      target: { most: slowdownMax * usual.p99 },
      more: {
        'median ms': found.median,
        'usual median ms': usual.median,
        'slowest ms': found.max,
        ...beside.medians,
        'not answered': beside.refused,
        'resident MB (most 1500)': highest,
        'lag s (most 2)': Math.max(0, ...lags),
        'SIGTERM ms (most 10000)': stopMs,
        'exit code': exit.code ?? -1,
        ...answered(),
      },
      hash: resultHash([calm.refused]),
    };
  } finally {
    takeAlong();
    process.off('exit', takeAlong);
    await service.kill();
  }
};

export const requestReply = async (attacker: ChildProcess, message: object): Promise<void> => {
  attacker.send(message);
  await Promise.race([
    once(attacker, 'message'),
    once(attacker, 'exit').then(() => {
      throw new Error('the attacker ended before it was prepared');
    }),
  ]);
};

type Token = { readonly access_token: string };
type Made = { readonly api_key: string };
type Invited = { readonly invitations: readonly { readonly invitation_token: string }[] };

/** A person with a project, a key of theirs, and one that may do nothing but edit that project. */
export const tenant = async (
  { url, client }: ServiceProcess,
  name: string,
): Promise<AttackTenant> => {
  const emails = [`${name}@example.org`];
  const { body } = await client.call<Invited>('POST', '/v2/invite_users', {
    body: { emails, role: 'user' },
  });
  const token = body.invitations[0]?.invitation_token;
  const anybody = clientOf({ url, apiKey: null });
  const accepted = await anybody.call<Token>('POST', '/v2/invitations/accept', {
    body: { token, password: `a long password of ${name}` },
  });
  const keyOf = async (asked: object): Promise<string> => {
    const made = await anybody.call<Made>('POST', '/v2/users/api_keys', {
      body: { description: name, ...asked },
      headers: { Authorization: `Bearer ${accepted.body.access_token}` },
    });
    return made.body.api_key;
  };
  const personalKey = await keyOf({});
  const person = clientOf({ url, apiKey: personalKey });
  const root = await newProject(person, name);
  const apiKey = await keyOf({ project_id: root.split('/').at(-1), project_role: 'editor' });
  person.close();
  anybody.close();
  return { url, personalKey, root, apiKey };
};

const innocentOf = async (service: ServiceProcess) => {
  const { root, apiKey } = await tenant(service, 'innocent');
  const client: Client = clientOf({ url: service.url, apiKey });
  const run = await newRun(client, root, 'innocent');
  const trace = { name: 'small', input: 'to Oslo', spans: [{ type: 'tool', name: 'book' }] };
  // Connections of their own for each kind: what is slow does not keep the others from being sent.
  const asking = () => clientOf({ url: service.url, apiKey }).send;
  const [write, search, project, listing] = [asking(), asking(), asking(), asking()];
  const requests = [
    [
      'write',
      () => write('POST', `${root}/traces`, { body: { log_stream_id: run, traces: [trace] } }),
    ],
    [
      'search',
      () => search('POST', `${root}/traces/search`, { body: { log_stream_id: run, limit: 5 } }),
    ],
    ['project', () => project('GET', root)],
    ['listing', () => listing('GET', `${root}/log_streams`)],
  ] as const;
  return {
    settled: async (): Promise<void> => {
      const body = { name: 'settled' };
      const { position } = await client.call('POST', `${root}/log_streams`, { body });
      const headers = { 'X-Min-Position': position ?? '' };
      for (;;) {
        const read = await client.send('POST', `${root}/traces/count`, { body: {}, headers });
        if (read.status === 200) return;
      }
    },
    /** Counts and reads of one trace, each at its own pace, beside a few writes. */
    reads: async (seconds: number) => {
      const logged = await client.call<{ trace_ids: string[] }>('POST', `${root}/traces`, {
        body: { log_stream_id: run, include_trace_ids: true, traces: [trace] },
      });
      const path = `${root}/traces/${logged.body.trace_ids[0]}`;
      const body = { log_stream_id: run };
      const measured = async (perSecond: number, send: () => Promise<{ status: number }>) => {
        const took: number[] = [];
        let refused = 0;
        await runAtRate(perSecond, seconds, async () => {
          const began = performance.now();
          const status = await send().then(
            (reply) => reply.status,
            () => 0,
          );
          took.push(performance.now() - began);
          if (status !== 200) refused += 1;
        });
        return { took, refused };
      };
      const [count, one] = await Promise.all([
        measured(readsPerSecond, () => search('POST', `${root}/traces/count`, { body })),
        measured(readsPerSecond, () => project('GET', path)),
        measured(readsPerSecond / 2, () =>
          write('POST', `${root}/traces`, { body: { log_stream_id: run, traces: [trace] } }),
        ),
      ]);
      return { count, trace: one };
    },
    /** Milliseconds of each request, also of those that were not answered with a 2xx. */
    works: async (seconds: number) => {
      const kinds = requests.map(([kind, request]) => ({ kind, request, took: [] as number[] }));
      let refused = 0;
      await runAtRate(2 * perSecond, seconds, async (n) => {
        const one = kinds[n % kinds.length];
        const began = performance.now();
        const status = await one?.request().then(
          (reply) => reply.status,
          () => 0,
        );
        one?.took.push(performance.now() - began);
        if (status !== 200) refused += 1;
      });
      const medians = kinds.map(({ kind, took }) => [`${kind} median ms`, summary(took).median]);
      const took = kinds.flatMap((one) => one.took);
      return { took, refused, medians: Object.fromEntries(medians) as ResultRow['more'] };
    },
  };
};

const watchMemory = (pid: number): { readonly stop: () => number } => {
  let highest = 0;
  const timer = setInterval(() => {
    highest = Math.max(highest, memoryOf(pid).now);
  }, 100);
  return {
    stop: () => {
      clearInterval(timer);
      return highest;
    },
  };
};
