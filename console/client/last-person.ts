import { effect, type ReadonlySignal } from '@preact/signals';

/** Things of a person that a tab keeps beyond the pages that show them. */
type Kept = {
  readonly service: { readonly session: { readonly person: ReadonlySignal<string | null> } };
  readonly queries: { readonly clear: () => void };
  readonly navigation: { readonly forgetVisited: () => void };
  readonly unsaved: { readonly clear: () => void };
};

/**
 * Forgets answers, places and drafts of the last person as soon as another one signs in, before
 * anything is drawn for them. Drafts outlive a sign-out, as it may have come from another tab.
 */
export const forgetLastPerson = ({ service, queries, navigation, unsaved }: Kept): void => {
  let last: string | null = null;
  effect(() => {
    const person = service.session.person.value;
    if (person === null) return;
    if (last !== null && last !== person) {
      queries.clear();
      navigation.forgetVisited();
      unsaved.clear();
    }
    last = person;
  });
};
