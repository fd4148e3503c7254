import { rotateCommand, type Rotated } from '../command-api/integrations/rotate.js';
import type { RulingNeeds } from '../command-api/parking/record.js';
import { startOps } from '../engines/koa/ops.js';
import type { Metrics } from '../engines/prometheus/metrics.js';
import { Fault } from '../kernel/fault.js';
import type { Json } from '../kernel/shapes.js';
import type { Projector } from '../projections/operate.js';
import type { RebuildWishes } from '../projections/rebuilds.js';
import { linesOf } from './lines.js';
import { projectNothing, type Projecting } from './projecting.js';
import { openRulings, type Rulings } from './rulings.js';
import { sealCommand, sealWaitSeconds, type HistorySealing } from './sealing.js';
import type { Starting } from './starting.js';

/** What the operators' listener asks; each part of a service takes its place when it is there. */
type Operated = {
  ready: () => Promise<{ readonly status: string }>;
  projecting: Projecting;
  rotate: () => Promise<Rotated | null>;
  /** Null where no history is sealed: this process is no worker, or not yet. */
  seal: HistorySealing['sealNow'] | null;
  /** Where an operator's decisions are recorded; null until the log is there. */
  recording: RulingNeeds | null;
};

/** Listens before anything else is there, and says what is waited for. */
export const startOperating = async (starting: Starting) => {
  const { config, metrics, logger, open, waiting } = starting;
  const operated: Operated = {
    ready: async () => ({ status: 'starting', waiting_for: waiting.for() }),
    projecting: projectNothing(),
    rotate: async () => null,
    seal: null,
    recording: null,
  };
  const ops = await startOps({
    host: config.opsHost,
    port: config.opsPort,
    token: config.opsToken,
    ready: () => operated.ready(),
    metrics,
    logger,
    operate: async (command, request) => {
      if (command === rotateCommand) return operated.rotate();
      if (command === sealCommand) return sealed(operated.seal, request);
      return answered(operated, metrics, command, request);
    },
  });
  open.add('the operators’ listener', () => ops.close());
  return { operated, port: ops.port };
};

/** Lines of how far the history is, then `{sealed, refused}`. */
const sealed = (
  seal: HistorySealing['sealNow'] | null,
  request: unknown,
): AsyncIterable<Json> | null => {
  if (seal === null) return null;
  const { wait_seconds: seconds = sealWaitSeconds } = (request ?? {}) as Asked;
  if (typeof seconds !== 'number' || !(seconds >= 0)) {
    throw new Fault('malformed', 'wait_seconds: a number of seconds, 0 or more');
  }
  return linesOf((tell) => seal(seconds * 1_000, tell));
};

const answered = async (
  { projecting, recording }: Operated,
  metrics: Metrics,
  command: string,
  request: unknown,
): Promise<Json | AsyncIterable<Json> | null> => {
  const { duty, isAsked, projector } = projecting;
  const asked = (request ?? {}) as Asked;
  const { name = null } = asked;
  if (!isAsked()) throw new Fault('unavailable', `${elsewhere[duty()]}; ask that one`);
  switch (command) {
    case 'status':
      return await projector.status();
    case 'rebuild':
      return await rebuilt(projector, name, asked);
    case 'verify':
      return await projector.verify(name);
    case 'parked':
      return await projector.parked();
    case 'retry':
    case 'skip':
    case 'pause':
    case 'resume': {
      if (recording === null) throw new Fault('unavailable', 'The log is not open yet');
      const came = await ruled(openRulings(recording, projector), command, asked);
      if (command === 'skip') metrics.skipped(textOf(asked, 'name'));
      return came;
    }
    default:
      return null;
  }
};

/**
 * Lines of progress, then `{rebuilt}`, null for all; with `dry_run` one answer that says what it
 * would take.
 */
const rebuilt = async (
  projector: Projector,
  name: string | null,
  { rate, begin, dry_run }: Asked,
): Promise<Json | AsyncIterable<Json>> => {
  if (dry_run === true && name !== null) return await projector.dryRun(name);
  const wishes = { ...rateOf(rate), ...beginOf(begin) };
  return linesOf(async (tell) => {
    await projector.rebuild(name, tell, wishes);
    return { rebuilt: name };
  });
};

const rateOf = (rate: unknown): RebuildWishes => {
  if (rate === undefined || rate === null) return {};
  if (typeof rate === 'number' && rate > 0) return { rate };
  throw new Fault('malformed', 'rate: events a second, a number above 0');
};
const beginOf = (begin: unknown): RebuildWishes => {
  if (begin === undefined || begin === null) return {};
  if (begin === 'resume' || begin === 'restart') return { begin };
  throw new Fault('malformed', 'begin: resume or restart');
};

type Asked = { readonly name?: string | null } & Readonly<Record<string, unknown>>;

/**
 * `{name, stream, reason, operator}`; `pause` and `resume` are of a read model and take no stream,
 * and `pause` needs no reason.
 */
const ruled = async (
  rulings: Rulings,
  command: 'retry' | 'skip' | 'pause' | 'resume',
  asked: Asked,
): Promise<Json> => {
  const projection = textOf(asked, 'name');
  if (command === 'pause') {
    await rulings.pause(projection);
    return { projection };
  }
  const ruling = {
    projection,
    reason: textOf(asked, 'reason'),
    operator: textOf(asked, 'operator'),
  };
  if (command !== 'resume') return rulings[command]({ ...ruling, stream: textOf(asked, 'stream') });
  await rulings.resume(ruling);
  return { projection };
};

/** Enough for a sentence or two, which stay in the log for ever. */
const textMax = 1_000;
const textOf = (asked: Asked, member: string): string => {
  const text = asked[member];
  if (typeof text === 'string' && text.trim() !== '' && text.length <= textMax) return text.trim();
  throw new Fault('malformed', `${member}: a text of 1 to ${textMax} characters`);
};

const elsewhere = {
  folding: '',
  standby: 'another process has the lease of the projections',
  elsewhere: 'another process plays the role projections',
} as const;
