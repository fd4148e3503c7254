/** Whose bytes they are: a caller that is known, or an address that showed no credential. */
export type Owner = { readonly name: string; readonly isKnown: boolean };

/** The bytes of one body or one answer. */
export type Held = {
  /** Counts so many more; throws Fault `unavailable` when there is no room for them. */
  readonly take: (bytes: number) => void;
  /** Counts what is there already and cannot be refused any more. */
  readonly add: (bytes: number) => void;
  /** All of them are gone; a second call does nothing. */
  readonly release: () => void;
};
export type Budget = { readonly open: (owner: Owner) => Held };

/**
 * Of the whole, once half of it is taken: a caller has a quarter, so that it takes more than two to
 * fill it. A stranger has little more than a login needs.
 */
const knownShare = 1 / 4;
const strangerShare = 1 / 64;
const crowdedShare = 1 / 2;
/** The last eighth is for what is small: usual requests go on while large ones fill the rest. */
const smallShare = 1 / 8;
const smallMax = 65_536;

/** Bytes in memory at a time. One that is alone always has room, else a large one never had. */
export const openBudget = (bytesMax: number, refuse: (why: string) => never): Budget => {
  const owners = new Map<string, number>();
  let all = 0;
  const count = (name: string, by: number): void => {
    all += by;
    const left = (owners.get(name) ?? 0) + by;
    if (left === 0) owners.delete(name);
    else owners.set(name, left);
  };
  return {
    open: ({ name, isKnown }) => {
      let held = 0;
      const mayHold = Math.floor(bytesMax * (isKnown ? knownShare : strangerShare));
      const hasRoom = (bytes: number): boolean => {
        if (all === held) return true;
        const mine = owners.get(name) ?? 0;
        const isCrowded = !isKnown || all + bytes > bytesMax * crowdedShare;
        if (isCrowded && mine > held && mine + bytes > mayHold) return false;
        const isSmall = held + bytes <= smallMax;
        return all + bytes <= (isSmall ? bytesMax : Math.floor(bytesMax * (1 - smallShare)));
      };
      const add = (bytes: number): void => {
        held += bytes;
        count(name, bytes);
      };
      return {
        take: (bytes) => {
          if (!hasRoom(bytes)) refuse('The service holds more bytes than it can take');
          add(bytes);
        },
        add,
        release: () => {
          count(name, -held);
          held = 0;
        },
      };
    },
  };
};
