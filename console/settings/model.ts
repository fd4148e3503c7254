import { personName } from '../people/model.js';
import type { Collaborator } from '../../clients/typescript/src/generated/collaborators-types.js';

/** Names of the owners among members, to ask for a right. */
export const ownersOf = (people: readonly Collaborator[]): string =>
  people
    .filter(({ role }) => role === 'owner')
    .map(personName)
    .join(', ') || 'none but the admins';

/** Groups whose name contains the text, in any case. */
export const groupsWithText = <G extends { readonly name: string }>(
  groups: readonly G[],
  text: string,
): readonly G[] =>
  groups.filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()));
