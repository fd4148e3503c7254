import { expect } from 'chai';
import { scorerNames } from '../../command-api/facts/scorers.js';
import { requiredScores } from '../../command-api/scorer-tasks/required-scores.js';
import { scoredRow } from '../../command-api/scorer-tasks/scored-rows.js';
import { systemClock } from '../../engines/node/clock.js';
import { openOverlapComputer } from '../../engines/overlaps/overlap-computer.js';
import { randomIds } from '../../engines/node/ids.js';
import type { ScorerTaskRequest } from '../../events/scorer-tasks.js';
import type { ContentRow } from '../../kernel/dataset-content.js';
import { organization, userId } from '../support/access-events.js';
import { neverEnds, sandboxOf } from '../support/sandboxes.js';
import { openScoringFixture, type ScoringFixture } from '../support/scoring-fixture.js';

describe('required scorers of a validation', function () {
  let world: ScoringFixture;
  beforeEach(async () => {
    world = await openScoringFixture();
  });
  afterEach(() => world.close());

  const row = scoredRow({ id: 'r', values: [] } as unknown as ContentRow, 0, { columns: [] }, null);
  const scorersOf = async (sources: readonly string[]): Promise<readonly string[]> => {
    const names = sources.map((_, at) => `required ${at}`);
    for (const [at, source] of sources.entries()) {
      const name = names[at] ?? '';
      const holder = await world.scorer(name, source);
      const stream = scorerNames.stream({ ids: randomIds }, { scope: organization, name });
      await world.append(stream, { type: 'NameClaimed', data: { holder } });
    }
    return names;
  };
  const asked = async (sources: readonly string[], requiredMs: number) => {
    const overlaps = openOverlapComputer();
    const pids = new Set<number>();
    const sandbox = sandboxOf('strict', {}, { onPid: (pid) => pids.add(pid) });
    await sandbox.ready();
    const before = pids.size;
    const request = {
      organization_id: organization,
      required_scorers: await scorersOf(sources),
      created_by: userId(1),
    } as unknown as ScorerTaskRequest;
    const needs = {
      log: world.log,
      clock: systemClock,
      ids: randomIds,
      sandbox,
      overlaps,
      requiredMs,
    };
    const scores = await requiredScores(needs, { request, signal: new AbortController().signal }, [
      row,
    ]);
    await sandbox.close();
    return { scores, processes: pids.size - before };
  };
  const saying = (value: string): string => `def scorer_fn(**k) -> str:\n    return "${value}"`;

  it('give a score for each row, and one that fails gives none', async () => {
    const failing = 'def scorer_fn(**k) -> str:\n    return 1 / 0';
    const { scores } = await asked([saying('a'), failing, saying('b')], 60_000);
    expect(scores).to.deep.equal([{ 'required 0': 'a', 'required 2': 'b' }]);
  });

  it('end the validation when their common time limit is exceeded', async () => {
    const hanging = `def scorer_fn(**k) -> str:\n    ${neverEnds}\n    return "a"`;
    const { scores, processes } = await asked(
      Array.from({ length: 100 }, () => hanging),
      2_000,
    );
    expect(scores).to.equal('required_scorers ran longer than 2 seconds together');
    expect(processes).to.equal(1);
  });
});
