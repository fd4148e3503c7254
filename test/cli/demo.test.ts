import { execFile } from 'node:child_process';
import { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { ExperimentComparison } from '../../contract/experiment-comparison.js';
import { recordDemo } from '../../tools/demo/record-sample.js';
import { temporaryFolder } from '../support/folder.js';
import { startService, type ServiceProcess } from '../support/service-process.js';
import { curl, describeWithTool } from '../support/required-tools.js';

const run = promisify(execFile);

describe('the demo', function () {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let service: ServiceProcess;
  let lines: readonly string[] = [];
  let printed = '';

  const demo = async (): Promise<readonly string[]> => {
    printed = '';
    const out = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        printed += chunk.toString('utf8');
        done();
      },
    });
    return recordDemo({ baseUrl: service.url, apiKey: service.apiKey, out });
  };

  before(async () => {
    folder = await temporaryFolder();
    service = await startService({ dir: folder.dir });
    lines = await demo();
  });
  after(async () => {
    await service.kill();
    await folder.remove();
  });

  it('records the traces it reports, and prints the key', () => {
    for (const [stream, runs] of [
      ['support', 200],
      ['airline', 120],
      ['coding', 80],
    ] as const) {
      const row = printed.split('\n').find((line) => line.includes(stream)) ?? '';
      const cells = row.split('│').map((cell) => cell.trim());
      expect(cells[2], printed).to.equal(String(runs));
      expect(cells[4], row).to.equal(cells[5]);
    }
    expect(printed).to.contain(service.apiKey);
  });

  it('records experiments that are ranked and differ on rows, and templates', async () => {
    expect(printed).to.contain('2 experiments over 16 rows of the dataset flight bookings');
    const { body: projects } = await service.client.call<readonly { readonly id: string }[]>(
      'GET',
      '/v2/projects',
    );
    const root = `/v2/projects/${projects[0]?.id ?? ''}`;
    const { body: experiments } = await service.client.call<readonly { readonly id: string }[]>(
      'GET',
      `${root}/experiments`,
    );
    const { body } = await service.client.call<ExperimentComparison>(
      'POST',
      `${root}/experiments/compare`,
      {
        body: { experiment_ids: experiments.map(({ id }) => id), metrics: ['reward'] },
      },
    );
    expect(body.rows_in_all).to.equal(16);
    const against = body.metrics[0]?.experiments[1]?.against_baseline;
    expect(against?.wins).to.be.greaterThan(0);
    expect(against?.losses).to.be.greaterThan(0);
    const { body: templates } = await service.client.call<readonly unknown[]>(
      'GET',
      `${root}/annotation/templates`,
    );
    expect(templates).to.have.length(3);
  });

  it('changes nothing when it is repeated', async () => {
    const before = printed;
    await demo();
    expect(printed).to.equal(before);
  });

  describeWithTool(curl, 'a terminal beside it', () => {
    it('prints three lines that work when they are pasted', async () => {
      expect(lines).to.have.length(3);
      const answers: Record<string, unknown>[] = [];
      for (const line of lines) {
        expect(printed).to.contain(line);
        const { stdout } = await run('sh', ['-c', line]);
        answers.push(JSON.parse(stdout) as Record<string, unknown>);
      }
      expect(answers[0]?.['bucketed_metrics']).to.have.keys(
        'gpt-4o',
        'gpt-4o-mini',
        'claude-3-5-sonnet',
      );
      expect(answers[1]?.['records']).to.have.length(3);
      expect(answers[2]?.['columns']).to.be.an('array').that.is.not.empty;
    });
  });
});
