/** A task and whose it is: of a project (or person, for a single sample), asked for by a creator. */
export type Claim = { readonly task: string; readonly owner: string; readonly creator: string };

/**
 * Which of the waiting tasks, oldest first, is taken next; null: none may be. Creators take turns:
 * who has the fewest running goes first, among them who was longest without, so that one who asks
 * without end has what the others leave. An owner has at most `ownerMax` running. `turns` has the
 * creators as they were served, the last one last.
 */
export const nextOf = (
  waiting: readonly Claim[],
  running: readonly Claim[],
  turns: readonly string[],
  ownerMax: number,
): Claim | null => {
  const count = (key: 'owner' | 'creator', of: string): number =>
    running.filter((one) => one[key] === of).length;
  const rank = ({ creator }: Claim): readonly [number, number] => [
    count('creator', creator),
    turns.lastIndexOf(creator),
  ];
  return waiting
    .filter(({ owner }) => count('owner', owner) < ownerMax)
    .reduce<Claim | null>((best, one) => {
      if (best === null) return one;
      const [fewest, longest] = rank(best);
      const [few, long] = rank(one);
      return few < fewest || (few === fewest && long < longest) ? one : best;
    }, null);
};
