import { effect } from '@preact/signals';
import type { Session } from './session.js';

/** Things of a person that a tab keeps beyond the pages that show them. */
type Kept = {
  readonly service: { readonly session: Pick<Session, 'person' | 'obstacle'> };
  readonly queries: {
    readonly clear: () => void;
    readonly invalidateQueries: () => Promise<unknown>;
  };
  readonly navigation: { readonly forgetVisited: () => void };
  readonly unsaved: { readonly clear: () => void };
};

/**
 * Forgets answers, places and drafts of the last person as soon as another one signs in, before
 * anything is drawn for them. Drafts outlive a sign-out, as it may have come from another tab. What
 * failed while the login was over is asked again for the same person.
 */
export const forgetLastPerson = ({ service, queries, navigation, unsaved }: Kept): void => {
  const { session } = service;
  let last: string | null = null;
  let wasOver = false;
  effect(() => {
    const person = session.person.value;
    const isOver = session.obstacle.value === 'over' || session.obstacle.value === 'replaced';
    if (wasOver && !isOver) void queries.invalidateQueries();
    wasOver = isOver;
    if (person === null) return;
    if (last !== null && last !== person) {
      queries.clear();
      navigation.forgetVisited();
      unsaved.clear();
    }
    last = person;
  });
};
