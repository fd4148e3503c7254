import type { Nouns } from '../../clients/typescript/src/generated/all.js';
import type {
  ReadRequirements,
  WriteRequirements,
} from '../../clients/typescript/src/generated/requirements.js';
import type { Permit, Requirement } from '../parts/permits.js';

/**
 * Operations that a permit covers: the reads that every caller may try, and what requires what it
 * stands for. A permit of several requirements covers the writes that each of them suffices for.
 */
export type PermittedOperations<R extends Requirement> = {
  readonly [N in keyof Nouns]: Pick<Nouns[N], keyof Nouns[N] & PermittedMethod<N, R>>;
};

type PermittedMethod<N extends keyof Nouns, R extends Requirement> =
  | {
      [M in keyof ReadRequirements[N]]: ReadRequirements[N][M] extends GuardedRead
        ? [Extract<R, Sufficient<ReadRequirements[N][M]>>] extends [never]
          ? never
          : M
        : M;
    }[keyof ReadRequirements[N]]
  | {
      [M in keyof WriteRequirements[N]]: [R] extends [
        Sufficient<WriteRequirements[N][M] & Requirement>,
      ]
        ? M
        : never;
    }[keyof WriteRequirements[N]];

/** Requirements of reads that not every person, and not every key, has on its own project. */
type GuardedRead = 'person' | 'self' | 'audit-org' | 'audit-project';

/** Requirements that include another one: who makes a dataset or a scorer may change it. */
type Including = {
  readonly annotator: 'editor' | 'owner';
  readonly editor: 'owner';
  readonly 'dataset-write': 'creator';
  readonly 'scorer-owner': 'creator';
  readonly 'signed-in': 'creator';
  readonly 'audit-project': 'audit-org';
};
type Sufficient<R extends Requirement> = R | (R extends keyof Including ? Including[R] : never);

/** Operations that read: those of a caller without a permit. */
export type Operations = PermittedOperations<'viewer'>;

/** The operations that a permit covers; the service decides on each call. */
export const permittedOperations = <R extends Requirement>(
  nouns: Nouns,
  _permit: Permit<R>,
): PermittedOperations<R> => nouns;
