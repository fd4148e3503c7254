import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { Assay } from '../../../clients/typescript/src/node.js';
import { temporaryFolder } from '../../support/folder.js';
import { freePort } from '../../support/free-port.js';
import { runs } from '../../support/runs.js';
import { startService } from '../../support/service-process.js';

/** 2,000 spans and a kill; in npm run test:long 20,000 and 10. */
const tracesLogged = runs(200);
const spansOfEach = 10;
const kills = runs(1);

describe('the logger of the TypeScript client, of a service that is killed', () => {
  it('neither loses nor doubles spans', async () => {
    const { dir, remove } = await temporaryFolder();
    const env = { ASSAY_PORT: String(await freePort()) };
    let service = await startService({ dir, env });
    const { url, apiKey } = service;
    const { id: project } = await new Assay({ url, apiKey }).projects.create({ name: 'killed' });
    const losses: unknown[] = [];
    let [broken, answered] = [0, 0];
    /** Every third answer is lost on its way, as when the kill comes right behind the write. */
    const lossy: typeof fetch = async (...asked) => {
      try {
        const answer = await fetch(...asked);
        answered += 1;
        if (answered % 3 === 0 && !isReading) throw new TypeError('the answer is lost');
        return answer;
      } catch (error) {
        broken += 1;
        throw error;
      }
    };
    let isReading = false;
    const assay = new Assay({
      url,
      apiKey,
      project,
      fetch: lossy,
      logger: {
        bytesMax: 256 * 1_048_576,
        intervalMs: 20,
        timeoutMs: 10_000,
        onLoss: (loss) => losses.push(loss),
        onWarning: () => undefined,
      },
    });
    const records = tracesLogged * (spansOfEach + 1);
    const log = async (from: number, to: number): Promise<void> => {
      for (let trace = from; trace < to; trace += 1)
        await assay.trace(`trace ${trace}`, { input: 'a flight, please' }, async (step) => {
          for (let span = 0; span < spansOfEach; span += 1)
            await step.span(`span ${trace} ${span}`, { type: 'tool', input: 'x' }, async () => 'y');
        });
    };
    const begun = performance.now();
    for (let kill = 0; kill < kills; kill += 1) {
      const [from, to] = [kill, kill + 1].map((at) => Math.floor((tracesLogged * at) / kills));
      const half = Math.floor(((from ?? 0) + (to ?? 0)) / 2);
      await log(from ?? 0, half);
      const flushed = assay.flush(300_000);
      // While a request is under way, at some point of it.
      await pause(randomInt(60));
      await service.kill();
      await log(half, to ?? 0);
      service = await startService({ dir, env });
      await flushed;
    }
    expect(await assay.flush(300_000), 'everything was sent').to.equal(true);
    const tookMs = Math.round(performance.now() - begun);
    expect(broken, 'requests that were broken off').to.be.at.least(kills);
    expect(losses).to.deep.equal([]);
    expect(assay.logged()).to.include({ sent: records, lost: 0, waiting: 0, waitingBytes: 0 });
    isReading = true;
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
    const said = `${spans.length} spans, ${kills} kills, ${broken} broken requests, ${tookMs} ms`;
    process.stdout.write(`    ${said}: none lost, none twice\n`);
    await assay.close();
    await service.stop();
    await remove();
  }).timeout(1_200_000);
});
