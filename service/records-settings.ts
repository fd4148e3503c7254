import { Fault } from '../kernel/fault.js';

/**
 * Where the records of a service on several machines are: `shared`, with the other read models; or
 * `replica`, folded from the log by each process that asks them, in its own data folder.
 */
export const recordsPlaces = ['shared', 'replica'] as const;
export type RecordsPlace = (typeof recordsPlaces)[number];

export type RecordsSettings = {
  readonly records: RecordsPlace;
  /** Memory for records on DuckDB: beyond it they spill to disk, or refuse. */
  readonly recordsMemoryMb: number;
};

export const recordsVariables = [
  {
    name: 'ASSAY_RECORDS',
    fallback: 'shared',
    meaning:
      'records with the other read models (shared), or folded by each process that asks them, ' +
      'on its own disk (replica): docs/configuration.md',
  },
  {
    name: 'ASSAY_RECORDS_MEMORY_MB',
    fallback: '400',
    meaning: 'memory of embedded records and of replicas: 256 to 65536',
  },
];

/** Throws Fault `invalid` that names the variable and what is allowed. */
export const readRecordsSettings = (
  text: (name: string, fallback: string) => string,
): RecordsSettings => ({
  records: recordsPlace(text('ASSAY_RECORDS', 'shared')),
  recordsMemoryMb: recordsMemory(text('ASSAY_RECORDS_MEMORY_MB', '400')),
});

/** A process whose log or read models are embedded is alone, and has the records to itself. */
export const refuseLoneReplica = (config: {
  readonly records: RecordsPlace;
  readonly eventStoreUrl: string | null;
  readonly mongodbUrl: string | null;
}): void => {
  const { records, eventStoreUrl, mongodbUrl } = config;
  if (records === 'shared' || (eventStoreUrl !== null && mongodbUrl !== null)) return;
  throw new Fault(
    'invalid',
    'ASSAY_RECORDS=replica is for a service on several machines: set ASSAY_EVENTSTORE_URL and ' +
      'ASSAY_MONGODB_URL too, or leave it out; an embedded service has its records to itself',
  );
};

const recordsPlace = (text: string): RecordsPlace => {
  const place = recordsPlaces.find((one) => one === text);
  if (place !== undefined) return place;
  throw new Fault('invalid', `ASSAY_RECORDS must be one of ${recordsPlaces.join(', ')}`);
};

/** Below this, a page of the longest texts and a batch at the same time do not fit. */
const recordsMemory = (text: string): number => {
  const value = Number(text);
  if (/^\d{3,5}$/.test(text) && value >= 256 && value <= 65_536) return value;
  throw new Fault('invalid', 'ASSAY_RECORDS_MEMORY_MB must be 256 to 65536');
};
