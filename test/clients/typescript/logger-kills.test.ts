import { expect } from 'chai';
import { Assay } from '../../../clients/typescript/src/node.js';
import { temporaryFolder } from '../../support/folder.js';
import { freePort } from '../../support/free-port.js';
import { runs } from '../../support/runs.js';
import { startService } from '../../support/service-process.js';
import { until } from '../../support/until.js';

/** 5,000 spans and 3 kills; with ASSAY_TEST_RUNS=20, 100,000 and 10. */
const tracesLogged = runs(500);
const spansOfEach = 10;
const kills = Math.min(10, runs(3));

describe('the logger of the TypeScript client, of a service that is killed', () => {
  it('loses no span and logs none twice', async () => {
    const { dir, remove } = await temporaryFolder();
    const env = { ASSAY_PORT: String(await freePort()) };
    let service = await startService({ dir, env });
    const { url, apiKey } = service;
    const { id: project } = await new Assay({ url, apiKey }).projects.create({ name: 'killed' });
    const losses: unknown[] = [];
    const assay = new Assay({
      url,
      apiKey,
      project,
      logger: {
        bytesMax: 256 * 1_048_576,
        intervalMs: 20,
        timeoutMs: 10_000,
        onLoss: (loss) => losses.push(loss),
      },
    });
    const records = tracesLogged * (spansOfEach + 1);
    const begun = performance.now();
    const logging = (async () => {
      for (let trace = 0; trace < tracesLogged; trace += 1) {
        await assay.trace(`trace ${trace}`, { input: 'a flight, please' }, async (step) => {
          for (let span = 0; span < spansOfEach; span += 1)
            await step.span(`span ${trace} ${span}`, { type: 'tool', input: 'x' }, async () => 'y');
        });
        // The rest of a program: otherwise all would wait before the first is sent.
        if (trace % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })();
    for (let kill = 1; kill <= kills; kill += 1) {
      const enough = Math.floor((records * (kill - 0.5)) / kills);
      await until(`${enough} records are sent`, 120_000, async () => assay.logged().sent >= enough);
      await service.kill();
      service = await startService({ dir, env, readyWithinMs: 120_000 });
    }
    await logging;
    expect(await assay.flush(300_000), 'everything was sent').to.equal(true);
    const tookMs = Math.round(performance.now() - begun);
    expect(losses).to.deep.equal([]);
    expect(assay.logged()).to.include({ sent: records, lost: 0, waiting: 0, waitingBytes: 0 });
    const found = new Map<string, number>();
    for (const download of [await assay.traces.export(), await assay.spans.export()])
      for await (const line of download.lines()) {
        const { name } = JSON.parse(line) as { readonly name: string };
        found.set(name, (found.get(name) ?? 0) + 1);
      }
    const spans = [...found.keys()].filter((name) => name.startsWith('span '));
    expect([...found].filter(([, times]) => times > 1)).to.deep.equal([]);
    expect([spans.length, found.size]).to.deep.equal([tracesLogged * spansOfEach, records]);
    expect(await assay.spans.count()).to.include({ total_count: tracesLogged * spansOfEach });
    const said = `${spans.length} spans, ${kills} kills, ${tookMs} ms`;
    process.stdout.write(`    ${said}: none lost, none twice\n`);
    await assay.close();
    await service.stop();
    await remove();
  }).timeout(1_200_000);
});
