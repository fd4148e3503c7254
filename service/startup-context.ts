import type { Config } from '../config.js';
import type { Engines } from '../engines/open.js';
import type { Logger } from '../engines/pino/logger.js';
import type { Metrics } from '../engines/prometheus/metrics.js';
import type { Tracing } from '../kernel/tracing.js';
import type { EngineWait, openDisposers } from './lifecycle.js';

/** Context of a starting service, passed to each of its parts. */
export type StartupContext = {
  readonly config: Config;
  readonly engines: Engines;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  /** Ends each part with the service. */
  readonly disposers: ReturnType<typeof openDisposers>;
  readonly engineWait: EngineWait;
};

export const hasRole = ({ roles }: Config, ...any: Config['roles']): boolean =>
  any.some((role) => roles.includes(role));
