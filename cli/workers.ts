import { startErasing } from '../command-api/erasures/worker.js';
import { startSweepingSeals } from '../command-api/integrations/sweep.js';
import { diskFiles } from '../engines/node/files.js';
import { erasingFile, type Engines } from '../engines/open.js';
import type { Logger } from '../engines/pino/logger.js';
import type { Clock, EventLog, Ids } from '../kernel/ports.js';
import type { Sandbox } from '../kernel/sandbox.js';
import type { openings } from './lifeline.js';

type Needs = {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly engines: Engines;
  readonly logger: Logger;
  /** Ends each of them with the service. */
  readonly open: ReturnType<typeof openings>;
};

/**
 * What the role `worker` does beside requests: each follows the log, picks up what a dead process
 * left, and may run twice at once without harm. Answers the sandbox, which readiness reports.
 */
export const startWorkers = ({ log, clock, ids, engines, logger, open }: Needs): Sandbox => {
  const trouble =
    (what: string) =>
    (error: unknown): void =>
      logger.error({ cause: String(error) }, `${what} failed; it is tried again`);
  const erasing = startErasing({
    log,
    clock,
    ids,
    files: diskFiles,
    path: erasingFile(engines.dir),
    trouble: trouble('erasing what was deleted'),
  });
  open.add(() => erasing.stop());
  const sweeping = startSweepingSeals({
    log,
    clock,
    ids,
    trouble: trouble('sweeping ciphertexts'),
  });
  open.add(() => sweeping.stop());
  const sandbox = engines.sandbox();
  open.add(() => sandbox.close());
  void sandbox.ready().then((state) => logger.info(state, 'sandbox of code scorers'));
  return sandbox;
};
