import { rotateCommand, type RotationResult } from '../command-api/integrations/key-rotation.js';
import type { ParkedDecisionNeeds } from '../command-api/parking/parked-decision.js';
import { startOpsServer } from '../engines/koa/ops-server.js';
import type { Metrics } from '../engines/prometheus/metrics.js';
import { Fault } from '../kernel/fault.js';
import type { Json } from '../kernel/schema-types.js';
import type { Projector } from '../projections/projector.js';
import type { RebuildRequest } from '../projections/rebuild-coordinator.js';
import { progressLines } from '../engines/koa/progress-lines.js';
import { noProjectionHost, type ProjectionHost } from './projection-host.js';
import { openParkedDecisions, type ParkedDecisions } from './parked-decisions.js';
import type { InvitationNotice } from '../command-api/invitations/invitation-by-email.js';
import { inviteCommand } from './invite-command.js';
import { sealCommand, sealWaitSeconds, type HistorySealing } from '../ledger/sealing.js';
import type { StartupContext } from './startup-context.js';

/** Parts of the service that the operators' listener calls; each is set once it has started. */
type OpsBindings = {
  readiness: () => Promise<{ readonly status: string }>;
  projectionHost: ProjectionHost;
  rotate: () => Promise<RotationResult | null>;
  /** Null when this process seals no history: not a worker, or still starting. */
  seal: HistorySealing['sealNow'] | null;
  /** Records operators' decisions; null until the log is open. */
  decisionNeeds: ParkedDecisionNeeds | null;
  /** Null when this process takes no writes: another role, or still starting. */
  invite: ((email: string, folderToken: unknown) => Promise<InvitationNotice>) | null;
};

/**
 * Starts the operators' listener before any engine is open: readiness then says what is waited for.
 */
export const startOpsListener = async (context: StartupContext) => {
  const { config, metrics, logger, disposers, engineWait } = context;
  const bindings: OpsBindings = {
    readiness: async () => ({ status: 'starting', waiting_for: engineWait.pending() }),
    projectionHost: noProjectionHost(),
    rotate: async () => null,
    seal: null,
    decisionNeeds: null,
    invite: null,
  };
  const ops = await startOpsServer({
    host: config.opsHost,
    port: config.opsPort,
    token: config.opsToken,
    ready: () => bindings.readiness(),
    metrics,
    logger,
    operate: async (command, request) => {
      if (command === rotateCommand) return bindings.rotate();
      if (command === inviteCommand) return runInviteCommand(bindings.invite, request);
      if (command === sealCommand) return runSealCommand(bindings.seal, request);
      return runProjectorCommand(bindings, metrics, command, request);
    },
  });
  disposers.add('the operators’ listener', () => ops.close());
  return { bindings, port: ops.port };
};

const runInviteCommand = async (invite: OpsBindings['invite'], request: unknown): Promise<Json> => {
  if (invite === null) {
    throw new Fault('unavailable', 'This process does not play the role command, or still starts');
  }
  const body = (request ?? {}) as OpsRequest;
  return invite(textOf(body, 'email'), body['folder_token']);
};

/** Streams lines of progress, then `{sealed, refused}`. */
const runSealCommand = (
  seal: HistorySealing['sealNow'] | null,
  request: unknown,
): AsyncIterable<Json> | null => {
  if (seal === null) return null;
  const { wait_seconds: seconds = sealWaitSeconds } = (request ?? {}) as OpsRequest;
  if (typeof seconds !== 'number' || !(seconds >= 0)) {
    throw new Fault('malformed', 'wait_seconds: a number of seconds, 0 or more');
  }
  return progressLines((tell) => seal(seconds * 1_000, tell));
};

const runProjectorCommand = async (
  { projectionHost, decisionNeeds }: OpsBindings,
  metrics: Metrics,
  command: string,
  request: unknown,
): Promise<Json | AsyncIterable<Json> | null> => {
  const { projectorState, servesOperators, projector } = projectionHost;
  const body = (request ?? {}) as OpsRequest;
  const { name = null } = body;
  if (!servesOperators())
    throw new Fault(
      'unavailable',
      `${otherProcessMessages[projectorState()]}; send the command to that process`,
    );
  switch (command) {
    case 'status':
      return await projector.status();
    case 'rebuild':
      return await runRebuildCommand(projector, name, body);
    case 'verify':
      return await projector.verify(name);
    case 'parked':
      return await projector.parked();
    case 'retry':
    case 'skip':
    case 'pause':
    case 'resume': {
      if (decisionNeeds === null) throw new Fault('unavailable', 'The log is not open yet');
      const outcome = await runDecisionCommand(
        openParkedDecisions(decisionNeeds, projector),
        command,
        body,
      );
      if (command === 'skip') metrics.parkedSkip(textOf(body, 'name'));
      return outcome;
    }
    default:
      return null;
  }
};

/**
 * Streams lines of progress, then `{rebuilt}` (null: all); with `dry_run` one answer with the
 * estimate.
 */
const runRebuildCommand = async (
  projector: Projector,
  name: string | null,
  { rate, begin, dry_run }: OpsRequest,
): Promise<Json | AsyncIterable<Json>> => {
  if (dry_run === true && name !== null) return await projector.dryRun(name);
  const options = { ...rateOf(rate), ...beginOf(begin) };
  return progressLines(async (tell) => {
    await projector.rebuild(name, tell, options);
    return { rebuilt: name };
  });
};

const rateOf = (rate: unknown): RebuildRequest => {
  if (rate === undefined || rate === null) return {};
  if (typeof rate === 'number' && rate > 0) return { rate };
  throw new Fault('malformed', 'rate: events a second, a number above 0');
};
const beginOf = (begin: unknown): RebuildRequest => {
  if (begin === undefined || begin === null) return {};
  if (begin === 'resume' || begin === 'restart') return { begin };
  throw new Fault('malformed', 'begin: resume or restart');
};

type OpsRequest = { readonly name?: string | null } & Readonly<Record<string, unknown>>;

/**
 * Request `{name, stream, reason, operator}`; `pause` and `resume` concern a read model and take no
 * stream, `pause` needs no reason.
 */
const runDecisionCommand = async (
  decisions: ParkedDecisions,
  command: 'retry' | 'skip' | 'pause' | 'resume',
  body: OpsRequest,
): Promise<Json> => {
  const projection = textOf(body, 'name');
  if (command === 'pause') {
    await decisions.pause(projection);
    return { projection };
  }
  const decision = {
    projection,
    reason: textOf(body, 'reason'),
    operator: textOf(body, 'operator'),
  };
  if (command !== 'resume')
    return decisions[command]({ ...decision, stream: textOf(body, 'stream') });
  await decisions.resume(decision);
  return { projection };
};

/** Enough for a sentence or two, which stay in the log for ever. */
const textMax = 1_000;
const textOf = (body: OpsRequest, member: string): string => {
  const text = body[member];
  if (typeof text === 'string' && text.trim() !== '' && text.length <= textMax) return text.trim();
  throw new Fault('malformed', `${member}: a text of 1 to ${textMax} characters`);
};

const otherProcessMessages = {
  folding: '',
  standby: 'another process has the lease of the projections',
  elsewhere: 'another process plays the role projections',
} as const;
