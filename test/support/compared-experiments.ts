import type { App } from './app.js';
import { retryUntilAccepted } from './retry-until-accepted.js';

/** Rows on which the second experiment is worse, better, equal, and that it lacks. */
const comparedRows = { losses: 7, wins: 6, ties: 5, missing: 2 } as const;

const rewardsOf = (kind: string, row: number): readonly [number, number | null] => {
  const base = 0.5 + (row % 5) / 20;
  if (kind === 'losses') return [base, base - 0.01 * (row + 1)];
  if (kind === 'wins') return [base, base + 0.2];
  return kind === 'ties' ? [base, base] : [base, null];
};

const kinds = Object.entries(comparedRows).flatMap(([kind, count]) =>
  Array.from({ length: count }, () => kind),
);

export type ComparedProject = {
  readonly projectId: string;
  /** Ids by name; `prompt-c` has the values of `prompt-a`. */
  readonly ids: Readonly<Record<'prompt-a' | 'prompt-b' | 'prompt-c', string>>;
};

/** A project with three experiments of one group, `prompts`, and traces for 20 rows. */
export const comparedProject = async ({ client }: App, name: string): Promise<ComparedProject> => {
  const { body: project } = await client.call<{ readonly id: string }>('POST', '/v2/projects', {
    body: { name },
  });
  const root = `/v2/projects/${project.id}`;
  const traces = (of: number) =>
    kinds.flatMap((kind, row) => {
      const reward = rewardsOf(kind, row)[of];
      if (reward === null || reward === undefined) return [];
      const at = `2026-03-01T00:00:${String(row).padStart(2, '0')}.000000Z`;
      return {
        input: `Question ${row}`,
        dataset_input: `Question ${row}`,
        dataset_output: 'booked',
        output: of === 0 ? `The flight ${row} is booked` : `The flight ${row} is sold out`,
        created_at: at,
        metrics: { reward, cost: 0.002 * (of + 1), duration_ns: (row + 1) * 1e8 },
      };
    });
  const made = async (experiment: string, of: number): Promise<string> => {
    const { body } = await client.call<{ readonly id: string }>('POST', `${root}/experiments`, {
      body: { name: experiment, experiment_group_name: 'prompts' },
    });
    await client.call('POST', `${root}/traces`, {
      body: { experiment_id: body.id, traces: traces(of) },
    });
    return body.id;
  };
  const ids = {
    'prompt-a': await made('prompt-a', 0),
    'prompt-b': await made('prompt-b', 1),
    'prompt-c': await made('prompt-c', 0),
  };
  const { position } = await client.call('PUT', `${root}/experiments/ranking_criteria`, {
    body: { criteria: [{ metric: 'reward', weight: 2, direction: 'higher' }] },
  });
  const headers = { 'X-Min-Position': position ?? '' };
  await retryUntilAccepted(() =>
    client.send('POST', `${root}/experiments/search`, { body: {}, headers }),
  );
  return { projectId: project.id, ids };
};
