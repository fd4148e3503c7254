import {
  addressCodec,
  choiceMember,
  optionalMember,
  sortMember,
  textMember,
} from '../parts/address.js';

/** View of the list of datasets, as its address has it. */
type DatasetListView = {
  readonly name: string;
  /** Id of the project that uses them; null: any. */
  readonly project: string | null;
  readonly sort: { readonly column: string; readonly ascending: boolean } | null;
};

export const datasetListCodec = addressCodec<DatasetListView>({
  name: textMember(),
  project: optionalMember(),
  sort: sortMember(),
});

/** View of a dataset. Its numbers are those of versions; null: not chosen. */
export type DatasetView = {
  readonly tab: 'rows' | 'versions' | 'mapping' | 'projects';
  /** Version that is read; null: the current one, which can be edited. */
  readonly v: number | null;
  /** Position or instant of the dataset as it was; null: as it is. */
  readonly at: string | null;
  /** Versions that are compared. */
  readonly from: number | null;
  readonly to: number | null;
  /** Text that is looked for. */
  readonly q: string;
};

/** Number of a version, from 1. */
const versionMember = () => ({
  initial: null,
  print: (version: number | null): string => (version === null ? '' : String(version)),
  parse: (text: string): number | null => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : null),
});

export const datasetCodec = addressCodec<DatasetView>({
  tab: choiceMember(['rows', 'versions', 'mapping', 'projects'], 'rows'),
  v: versionMember(),
  at: optionalMember(),
  from: versionMember(),
  to: versionMember(),
  q: textMember(),
});
