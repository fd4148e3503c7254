import { canonicalUuid } from '../../kernel/uuid-and-instant.js';

/** A page of the console that the rail lists. */
export type ListedPage = {
  readonly text: string;
  readonly path: string;
  /** Its view, where a part of the current one is kept; usually its own. */
  readonly view?: string;
  readonly keys?: string;
};

/** Kinds of places, in the order of their groups. */
const placeKinds = [
  'Recent',
  'Pages',
  'Projects',
  'Traces',
  'Spans',
  'Sessions',
  'Datasets',
  'Log streams',
  'Experiments',
  'Scorers',
] as const;
type PlaceKind = (typeof placeKinds)[number];

/** A place to go to. */
export type PlaceOption = {
  readonly kind: PlaceKind;
  readonly text: string;
  /** Tells places of the same text apart. */
  readonly note: string;
  readonly path: string;
  readonly view: string;
};

/** The wanted places: an id has all its written forms, a name is any text. */
export type WantedPlace =
  | { readonly by: 'name'; readonly text: string }
  | {
      readonly by: 'id';
      /** The text as a uuid; null: no record has it as its own id. */
      readonly id: string | null;
      /** Texts that a client may have sent as `external_id`. */
      readonly externalIds: readonly string[];
    };

const hexForm = /^(?:[0-9a-f]{32}|[0-9a-f]{16})$/i;

/** Reads a typed text: a uuid, or the 32 or 16 hex digits of OpenTelemetry, is an id. */
export const wantedPlace = (typed: string): WantedPlace | null => {
  const text = typed.trim();
  if (text === '') return null;
  const isHex = hexForm.test(text);
  const dashed = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;
  const id = canonicalUuid(isHex ? text.replace(dashed, '$1-$2-$3-$4-$5') : text);
  if (id === null && !isHex) return { by: 'name', text };
  return { by: 'id', id, externalIds: [...new Set([text, text.toLowerCase()])] };
};

/** True where the text of the place contains what was typed, in any case. */
export const matchesText = ({ text }: { readonly text: string }, typed: string): boolean =>
  text.toLowerCase().includes(typed.trim().toLowerCase());

type PlaceGroup = { readonly kind: PlaceKind; readonly options: readonly PlaceOption[] };

/** The options by kind, each place once, kinds without any left out. */
export const placeGroups = (options: readonly PlaceOption[]): readonly PlaceGroup[] => {
  const seen = new Set<string>();
  const unique = options.filter((option) => {
    const key = placeKey(option);
    return !seen.has(key) && seen.add(key);
  });
  return placeKinds.flatMap((kind) => {
    const ofKind = unique.filter((option) => option.kind === kind);
    return ofKind.length === 0 ? [] : [{ kind, options: ofKind }];
  });
};

/** Names a place within a list. */
export const placeKey = ({ kind, path, view }: PlaceOption): string => `${kind} ${path}#${view}`;
