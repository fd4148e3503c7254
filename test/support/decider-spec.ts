import { expect } from 'chai';
import { isRejection, type Decide, type Fold } from '../../kernel/decision.js';
import type { FaultCode } from '../../kernel/fault.js';

/**
 * Tests whether a decision acts, refuses or stays quiet. `then` feeds the events back and decides
 * again: the second answer must be empty, so every decision is shown to be idempotent.
 */
export const deciderSpec =
  <S, E>(fold: Fold<S, E>) =>
  (...given: readonly E[]) => ({
    when: (decide: Decide<S, E>) => {
      const state = given.reduce(fold.evolve, fold.initial);
      const decision = decide(state);
      return {
        // oxlint-disable-next-line unicorn/no-thenable -- A sentence; nobody awaits it.
        then: (...expected: readonly E[]): void => {
          expect(decision).to.deep.equal(expected);
          const after = expected.reduce(fold.evolve, state);
          expect(decide(after), 'decided again').to.deep.equal([]);
        },
        thenNothing: (): void => expect(decision).to.deep.equal([]) as unknown as void,
        thenRejected: (code: FaultCode, detail?: string | RegExp): void => {
          expect(isRejection(decision) && decision.rejected).to.equal(code);
          if (detail !== undefined && isRejection(decision)) {
            expect(decision.detail).to.match(new RegExp(detail));
          }
        },
      };
    },
  });
