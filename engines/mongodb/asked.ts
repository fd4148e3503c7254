import type { Collection } from 'mongodb';
import { checkAsked } from '../../kernel/asking.js';
import type { Asking } from '../../kernel/ports.js';
import { answering } from './connect.js';

type Question = (what: unknown, options?: object) => unknown;
const questions: ReadonlySet<string | symbol> = new Set([
  'find',
  'findOne',
  'aggregate',
  'countDocuments',
]);

/**
 * The rows, asked with the signal: when it aborts, the driver lets go of the connection, by which
 * the server knows that nobody waits for the question.
 */
export const askedOf = <S extends { readonly rows: Collection }>(
  snapshot: S,
  { signal }: Asking,
): S => {
  if (signal === undefined) return snapshot;
  const rows = new Proxy(snapshot.rows, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (!questions.has(name) || typeof member !== 'function') return member;
      const ask = member.bind(target) as Question;
      return (what: unknown, options = {}) => ask(what, { ...options, signal });
    },
  });
  return { ...snapshot, rows };
};

/** `answering` for somebody who may wait no longer. */
export const answeringTo = async <T>(asking: Asking, work: () => Promise<T>): Promise<T> => {
  checkAsked(asking);
  try {
    return await answering(work);
  } catch (error) {
    checkAsked(asking);
    throw error;
  }
};
