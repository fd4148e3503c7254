import type { UserBlock } from '../../contract/people.js';
import type { OrganizationEvent } from '../../events/organizations.js';
import type { EventReader, Ids, StreamName } from '../../kernel/ports.js';
import { reservation, type Standing } from '../../kernel/reservation.js';
import { load } from '../../kernel/transact.js';
import { users, type User } from './folds.js';
import { organizationStream, reservationStream, userStream } from './streams.js';

/** The user as the log has them now; null when there is none or they were removed. */
export const liveUser = async (log: EventReader, id: string): Promise<User | null> => {
  const { state } = await load(log, userStream(id), users);
  return state?.live === true ? state : null;
};

/** `created_by_user` of a write's answer, from the log (contract 3.10). */
export const userBlockOf = async (log: EventReader, id: string): Promise<UserBlock> => {
  const user = await liveUser(log, id);
  return (
    user && {
      id: user.id,
      email: user.email,
      first_name: user.firstName,
      last_name: user.lastName,
    }
  );
};

/**
 * Only the case of ASCII letters does not tell two e-mails apart: folding all of Unicode would give
 * `K` (U+212A) the mail of `k`.
 */
const sameCase = (email: string): string =>
  email.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** An e-mail has one user on the whole installation; case does not tell two apart. */
export const emailStream = (ids: Pick<Ids, 'derive'>, email: string): StreamName =>
  reservationStream('email', ids.derive('Reservation', sameCase(email)));

/** Whether that user lives and still has the e-mail. */
export const emailStanding =
  (log: EventReader, email: string) =>
  async (holder: string): Promise<Standing> => {
    const { state } = await load(log, userStream(holder), users);
    if (state !== null && !state.live) return 'gone';
    return state !== null && sameCase(state.email) === sameCase(email) ? 'has it' : 'may come';
  };

/** Who has the e-mail, invited users too; null when nobody does. */
export const userByEmail = async (
  log: EventReader,
  ids: Pick<Ids, 'derive'>,
  email: string,
): Promise<User | null> => {
  const { state } = await load(log, emailStream(ids, email), reservation);
  const user = state.holder === null ? null : await liveUser(log, state.holder);
  return user !== null && sameCase(user.email) === sameCase(email) ? user : null;
};

/** Never changes once it is made. */
export const organizationNameOf = async (log: EventReader, id: string): Promise<string> => {
  const [first] = await log.read(organizationStream(id), { limit: 1 });
  return (first?.data as OrganizationEvent['data'] | undefined)?.name ?? '';
};
