import type {
  LentIntegration,
  ModelAccess,
  SetModelAccess,
} from '../../clients/typescript/src/generated/models-types.js';
import { personName } from '../people/model.js';
import type { Collaborator } from '../../clients/typescript/src/generated/collaborators-types.js';

/** Names of the owners among members, to ask for a right. */
export const ownersOf = (people: readonly Collaborator[]): string =>
  people
    .filter(({ role }) => role === 'owner')
    .map(personName)
    .join(', ') || 'none but the admins';

/** States of a lent integration, in words. */
export const lendingStates: Readonly<Record<LentIntegration['state'], string>> = {
  usable: 'usable',
  disabled: 'disabled',
  deleted: 'deleted',
  not_editor: 'its lender is not an editor',
};

/** Settings of models as their form has them. */
export type ModelSettingsTexts = {
  readonly budget: string;
  readonly calls: string;
  readonly model: string;
  readonly judge: string;
  readonly isUnpriced: boolean;
  readonly isNaming: boolean;
};

/** Settings by those of now and what was edited; an empty text is the default. */
export const modelSettingsOf = (
  now: ModelAccess,
  edits: Partial<ModelSettingsTexts>,
): Required<SetModelAccess> => {
  const { budget, calls, model, judge, isUnpriced, isNaming } = edits;
  const orDefault = (text: string): number | null => (text === '' ? null : Number(text));
  return {
    default_model: model === undefined ? now.default_model : model.trim() || null,
    judge_model: judge === undefined ? now.judge_model : judge.trim() || null,
    daily_budget: budget === undefined ? now.daily_budget : orDefault(budget),
    daily_calls: calls === undefined ? now.daily_calls : orDefault(calls),
    allow_unpriced: isUnpriced ?? now.allow_unpriced,
    name_clusters: isNaming ?? now.name_clusters,
  };
};

/** Groups whose name contains the text, in any case. */
export const groupsWithText = <G extends { readonly name: string }>(
  groups: readonly G[],
  text: string,
): readonly G[] =>
  groups.filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()));
