import { presetScorers } from '../../contract/scorers.js';
import { validationFault, valueComplaint } from '../../kernel/fault.js';
import type { EventReader, Ids } from '../../kernel/ports.js';
import type { OrganizationId } from '../../kernel/schema-types.js';
import { scorerNames, type Scorer } from './scorers.js';

type Needs = { readonly log: EventReader; readonly ids: Pick<Ids, 'derive'> };

type RequiredNames = {
  readonly names: readonly string[] | null | undefined;
  /** Scorers required before: they stay, even if deleted. */
  readonly before?: readonly string[];
  readonly isUsable: (scorer: Scorer) => boolean;
};

/**
 * Distinct names. Throws Fault `invalid` naming each that is neither a preset nor a code scorer of
 * the organisation that `isUsable` (contract 4.11, 5.10).
 */
export const checkRequiredScorers = async (
  needs: Needs,
  organization: OrganizationId,
  { names, before = [], isUsable }: RequiredNames,
): Promise<readonly string[]> => {
  const wanted = [...new Set(names ?? [])];
  // Sequential: a scorer with all its versions may have 16 MiB.
  const accepted: boolean[] = [];
  for (const name of wanted) {
    const isPreset = presetScorers.some((one) => one.name === name);
    const isKnown = isPreset || before.includes(name);
    const scorer = isKnown ? null : await scorerNames.find(needs, { scope: organization, name });
    accepted.push(isKnown || (scorer !== null && isUsable(scorer)));
  }
  const unknown = wanted.filter((_, at) => accepted[at] !== true);
  if (unknown.length === 0) return wanted;
  throw validationFault(
    unknown.map((name) =>
      valueComplaint(
        ['body', 'required_scorers', String((names ?? []).indexOf(name))],
        `scorer '${name}' does not exist`,
      ),
    ),
  );
};
