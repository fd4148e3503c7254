import { rotateCommand } from '../cli/keys.js';
import type { Rotated } from '../command-api/integrations/rotate.js';
import { startOps } from '../engines/koa/ops.js';
import { Fault } from '../kernel/fault.js';
import type { Json } from '../kernel/shapes.js';
import { projectNothing, type Projecting } from './projecting.js';
import type { Starting } from './starting.js';

/** What the operators' listener asks; each part of a service takes its place when it is there. */
type Operated = {
  ready: () => Promise<{ readonly status: string }>;
  projecting: Projecting;
  rotate: () => Promise<Rotated | null>;
};

/** Listens before anything else is there, and says what is waited for. */
export const startOperating = async (starting: Starting) => {
  const { config, metrics, logger, open, waiting } = starting;
  const operated: Operated = {
    ready: async () => ({ status: 'starting', waiting_for: waiting.for() }),
    projecting: projectNothing(),
    rotate: async () => null,
  };
  const ops = await startOps({
    host: config.opsHost,
    port: config.opsPort,
    token: config.opsToken,
    ready: () => operated.ready(),
    metrics,
    logger,
    operate: (command, request) =>
      command === rotateCommand
        ? operated.rotate()
        : answered(operated.projecting, command, request),
  });
  open.add('the operators’ listener', () => ops.close());
  return { operated, port: ops.port };
};

const answered = async (
  { duty, projector }: Projecting,
  command: string,
  request: unknown,
): Promise<Json | null> => {
  const { name = null, stream } = (request ?? {}) as { name?: string | null; stream?: string };
  if (duty() !== 'folding') throw new Fault('unavailable', `${elsewhere[duty()]}; ask that one`);
  switch (command) {
    case 'status':
      return await projector.status();
    case 'rebuild':
      await projector.rebuild(name);
      return await projector.status();
    case 'verify':
      return await projector.verify(name);
    case 'parked':
      return await projector.parked();
    case 'retry':
    case 'skip':
      if (name === null || stream === undefined) return null;
      return projector[command](name, stream as never);
    default:
      return null;
  }
};

const elsewhere = {
  folding: '',
  standby: 'another process has the lease of the projections',
  elsewhere: 'another process plays the role projections',
} as const;
