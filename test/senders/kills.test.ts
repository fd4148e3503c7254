import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-node';
import { expect } from 'chai';
import { temporaryFolder } from '../support/folder.js';
import { freePort } from '../support/free-port.js';
import { runs } from '../support/runs.js';
import { projectNamed } from '../support/sender-runs.js';
import { startService } from '../support/service-process.js';

/** In npm run test:long ten. */
const kills = runs(1);
const tracesOfEach = 200;
const spansOfEach = 4;
const repeatAfterMs = 100;

describe('an exporter that repeats, of a service that is killed', () => {
  it('neither loses nor doubles spans', async () => {
    const { dir, remove } = await temporaryFolder();
    const env = { ASSAY_PORT: String(await freePort()) };
    let service = await startService({ dir, env });
    const headers = { 'service-api-key': service.apiKey, project: 'killed' };
    // The SDK's own gives up after some seconds, as a collector's queue does not.
    const inner = new OTLPTraceExporter({
      url: `${service.url}/v1/traces`,
      headers,
      timeoutMillis: 1_000,
    });
    let [answered, repeated] = [0, 0];
    const exporter: SpanExporter = {
      export: (spans, done) =>
        inner.export(spans, (result) => {
          // Every third answer is lost on its way, as when the kill comes right behind the write.
          const isAnswered = result.error === undefined;
          answered += isAnswered ? 1 : 0;
          if (isAnswered && answered % 3 !== 0) return done(result);
          repeated += 1;
          setTimeout(() => exporter.export(spans, done), repeatAfterMs);
        }),
      shutdown: () => inner.shutdown(),
    };
    const processor = new BatchSpanProcessor(exporter, {
      maxQueueSize: 1_000_000,
      maxExportBatchSize: 64,
      scheduledDelayMillis: 5,
      exportTimeoutMillis: 600_000,
    });
    const provider = new NodeTracerProvider({ spanProcessors: [processor] });
    provider.register();
    const tracer = provider.getTracer('flights');
    const trace = (): void =>
      tracer.startActiveSpan('trip', (root) => {
        for (let span = 1; span < spansOfEach; span += 1) tracer.startSpan('step').end();
        root.end();
      });
    for (let kill = 0; kill < kills; kill += 1) {
      for (let sent = 0; sent < tracesOfEach; sent += 1) trace();
      // While requests are under way, at some point of one.
      await pause(randomInt(150));
      await service.kill();
      service = await startService({ dir, env });
    }
    await provider.shutdown();
    expect(repeated, 'exports that were repeated').to.be.above(kills);
    const project = await projectNamed(service.client, 'killed');
    const counted = async (kind: string): Promise<number> => {
      const path = `/v2/projects/${project}/${kind}/count`;
      const { body } = await service.client.call<{ total_count: number }>('POST', path, {
        body: {},
      });
      return body.total_count;
    };
    expect([await counted('traces'), await counted('spans')]).to.deep.equal([
      kills * tracesOfEach,
      kills * tracesOfEach * spansOfEach,
    ]);
    process.stdout.write(`    ${kills} kills, ${repeated} repeated: none lost, none twice\n`);
    await service.stop();
    await remove();
  }).timeout(1_200_000);
});
