import { expect } from 'chai';
import { join } from 'node:path';
import { readConfig } from '../../config.js';
import { openBus } from '../../engines/memory/bus.js';
import { systemClock } from '../../engines/node/clock.js';
import { openEngines } from '../../engines/open.js';
import { openLogger } from '../../engines/pino/logger.js';
import { openMetrics } from '../../engines/prometheus/metrics.js';
import { openEventLog } from '../../engines/sqlite/event-log.js';
import { noTracing } from '../../kernel/tracing.js';
import { openDisposers, openEngineWait } from '../../service/lifecycle.js';
import { noProjectionHost } from '../../service/projection-host.js';
import { withReplica } from '../../service/replica.js';
import { temporaryFolder } from '../support/folder.js';

describe('a replica', () => {
  it('folds the records alone, and leaves the lists to one process', async () => {
    const { dir, remove } = await temporaryFolder();
    const bus = openBus(dir);
    const config = { ...readConfig({ ASSAY_DATA_DIR: dir }), records: 'replica' as const };
    const log = await openEventLog({ dir: join(dir, 'replica'), bus });
    const logger = openLogger({ level: 'silent', secrets: ['api_key'] });
    const disposers = openDisposers(systemClock, logger);
    try {
      const host = await withReplica(
        {
          config,
          engines: await openEngines(config),
          logger,
          metrics: openMetrics(),
          tracing: noTracing,
          disposers,
          engineWait: openEngineWait(systemClock, logger),
        },
        noProjectionHost(),
        { bus, setBack: () => undefined },
      );
      const folded = (await host.projector.status()).map(({ name }) => name);
      expect(folded).to.deep.equal(['records']);
    } finally {
      await disposers.close();
      await log.close();
      await bus.close();
      await remove();
    }
  });
});
