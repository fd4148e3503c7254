// An experiment on a small dataset: an agent answers each row in a trace with its steps, and each
// trace has a metric that says whether the answer was right. Makes a project of its own.
//
//   export ASSAY_URL=http://localhost:8080
//   export ASSAY_API_KEY=...
//   node dist/examples/typescript.js
//
// In a program of your own: from 'assay-client', which clients/typescript/README.md packs.
import { Assay } from '../clients/typescript/src/node.js';

const say = (line: string): boolean => process.stdout.write(`${line}\n`);
const text = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);
const service = new Assay();
const { id: project } = await service.projects.create({ name: `flights ${Date.now()}` });

// What is asked, and what the answer should be.
const file = new File(['question,answer\nTo Oslo?,booked\nTo the moon?,refused\n'], 'flights.csv');
const dataset = await service.datasets.create({ file, project_id: project });

// One experiment: each row is a trace with its steps, scored by whether it was right.
const experiment = await service.experiments.create({ project_id: project, name: 'rules' });
const assay = new Assay({ project, logger: { experimentId: experiment.id } });
const agent = async (question: string): Promise<string> => {
  const city = await assay.span('find city', { type: 'tool', input: question }, async () =>
    question.replace(/^To |\?$/g, ''),
  );
  return assay.span('book', { type: 'llm', model: 'model-a', input: city }, async () =>
    city === 'Oslo' ? 'booked' : 'refused',
  );
};
for await (const { values } of assay.datasets.content({ dataset_id: dataset.id })) {
  const [question = '', expected = ''] = values.map(text);
  await assay.trace('trip', { input: question }, async (step) => {
    const answer = await agent(question);
    step.set({ metrics: { correct: answer === expected ? 1 : 0 } });
    return answer;
  });
}
await assay.flush();

for await (const trace of assay.traces.search({ experiment_id: experiment.id }))
  say(`${text(trace.input)} ${text(trace.output)}`);
const answer = await assay.metrics.search({
  experiment_id: experiment.id,
  start_time: '2020-01-01T00:00:00Z',
  end_time: '2100-01-01T00:00:00Z',
  metric_details: [{ id: 'correct', metric_name: 'correct', aggregation: 'Average' }],
});
say(`correct: ${text(answer.aggregate_metrics['correct'])}`);
await assay.close();
