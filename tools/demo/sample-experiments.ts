import { models, sampleTrace, type SampleTrace } from './sample.js';
import type { DemoRun, PricedModel } from './sample-spans.js';
import { drawAirlineTask, runAirlineTask, type AirlineTask } from './scenarios.js';
import { seededRandom } from '../../kernel/seeded-random.js';

/** Rows of one dataset, and the experiments that ran over each of them. */
type SampleExperiments = {
  /** Distinct inputs. */
  readonly rows: readonly { readonly input: string; readonly output: string }[];
  readonly experiments: readonly {
    readonly name: string;
    /** In the order of `rows`. */
    readonly traces: readonly SampleTrace[];
  }[];
};

const rowCount = 16;
const minute = 60_000;

type Variant = {
  readonly name: string;
  readonly model: PricedModel;
  /** Rows on which tools often fail: other ones for each variant, so that both win some. */
  readonly isStrained: (row: number) => boolean;
};
const variants: readonly Variant[] = [
  { name: 'prompt-a', model: models[0], isStrained: (row) => row % 2 === 0 },
  { name: 'prompt-b', model: models[1] ?? models[0], isStrained: (row) => row % 5 === 0 },
];

/**
 * Two experiments over the same tasks, within the hour before `end` (milliseconds since 1970).
 * Deterministic, and independent of what `makeSample` draws of the same seed.
 */
export const makeSampleExperiments = (asked: {
  readonly seed: number;
  readonly end: number;
}): SampleExperiments => {
  const tasks = distinctTasks(asked.seed);
  return {
    rows: tasks.map(({ question, expected }) => ({ input: question, output: expected })),
    experiments: variants.map((variant, at) => ({
      name: variant.name,
      traces: tasks.map((task, row) =>
        traceOf(task, variant, {
          seed: asked.seed + (at + 1) * 1_000 + row,
          row,
          strain: variant.isStrained(row) ? 2.5 : 1,
          now: asked.end - (rowCount - row) * 2 * minute,
        }),
      ),
    })),
  };
};

const distinctTasks = (seed: number): readonly AirlineTask[] => {
  const random = seededRandom(seed + 500);
  const tasks = new Map<string, AirlineTask>();
  while (tasks.size < rowCount) {
    const task = drawAirlineTask(random);
    if (task.from !== task.to) tasks.set(task.question, task);
  }
  return [...tasks.values()];
};

const traceOf = (
  task: AirlineTask,
  { name, model }: Variant,
  place: {
    readonly seed: number;
    readonly row: number;
    readonly strain: number;
    readonly now: number;
  },
): SampleTrace => {
  const random = seededRandom(place.seed);
  const run: DemoRun = { random, now: place.now, strain: place.strain, model };
  const id = random.uuid();
  const told = runAirlineTask(run, task);
  return sampleTrace(
    { ...told, reference: task.expected },
    {
      id,
      from: place.now,
      until: run.now,
      session_id: null,
      external_id: `demo/${name}/${place.row + 1}`,
      user_metadata: { prompt: name },
    },
  );
};
