import { authorize } from '../../contract/authorize.js';
import type { ProjectInSight } from '../../contract/roles.js';
import { checkAsked } from '../../kernel/asking.js';
import type { Asker } from './askers.js';
import type { Held } from './budget.js';
import { checkOrigin, entered, type Entry } from './entry.js';
import { guarded, type Given, type Sent } from './given.js';
import { ownerOf, type Asked } from './handle.js';
import { read, write, type Exchanged } from './outcome.js';
import type { Services } from './services.js';
import type { Bound } from './table.js';

/**
 * One request in the order of contract 1.5, and what its answer holds. Throws Fault for everything
 * but a 2xx and a stored answer.
 */
export const exchange = async (
  bound: Bound,
  sent: Sent,
  services: Services,
): Promise<{ readonly outcome: Exchanged; readonly told: Held }> => {
  const asker = services.askers.begin(sent.message.socket);
  let isFlowing = false;
  try {
    const entry = await entered(bound.operation, sent.message, services);
    const owner = ownerOf(entry);
    if (owner.person !== null) {
      services.authenticated(sent.message);
      sent.seat.callerIs(owner);
    }
    // What came is in memory until the answer is there, files and all.
    const coming = services.load.coming(owner, asker.signal);
    const told = services.load.answers.open(owner);
    try {
      const given = await guarded(bound, sent, entry.sender, coming);
      checkOrigin(bound.operation, sent.message);
      const head = headOf(bound, services);
      const project = await projectOf(bound, entry, given, services);
      const asked: Asked = { ...given, ...entry, project, head, asker, told };
      const answer = bound.operation.kind === 'r' ? read : write;
      const outcome = await answer(bound, asked, sent, services);
      if (outcome.lines === undefined) return { outcome, told };
      isFlowing = true;
      const partMs = services.answerWithinMs(bound.route);
      return flowing({ ...outcome, lines: outcome.lines }, told, asker, partMs);
    } catch (error) {
      told.release();
      throw error;
    } finally {
      coming.release();
    }
  } finally {
    if (!isFlowing) asker.end();
  }
};

/** What is still asked for while it is sent: somebody waits until the client has all of it. */
const flowing = (
  outcome: Exchanged & Required<Pick<Exchanged, 'lines'>>,
  told: Held,
  asker: Asker,
  partMs: number,
) => {
  asker.rest();
  const release = (): void => {
    asker.end();
    told.release();
  };
  return {
    outcome: { ...outcome, lines: inTime(outcome.lines, asker, partMs) },
    told: { ...told, release },
  };
};

/** Each part within the time of an answer, of which the one before being sent is none. */
async function* inTime<T>(
  parts: AsyncIterable<T>,
  asker: Asker,
  partMs: number,
): AsyncGenerator<T> {
  asker.within(partMs);
  for await (const part of parts) {
    checkAsked(asker);
    asker.rest();
    yield part;
    checkAsked(asker);
    asker.within(partMs);
  }
  asker.rest();
}

/** What a read will wait for, asked while its project is looked up; null where nothing is read. */
const headOf = ({ operation, route }: Bound, { freshness }: Services): Asked['head'] => {
  if (operation.kind !== 'r' || route.reads.length === 0) return null;
  const head = freshness.head();
  // It has failed to nobody when the project is out of sight.
  head.catch(() => null);
  return head;
};

/** Whose operation it is, once it is known that its caller may; null where nobody is asked. */
const projectOf = async (
  { operation }: Bound,
  { principal }: Entry,
  { params }: Given,
  { gate }: Services,
): Promise<ProjectInSight | null> =>
  principal === null ? null : authorize(operation, principal, params, gate);
