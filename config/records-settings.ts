import { Fault } from '../kernel/fault.js';
import type { Partition } from '../kernel/records/partitions.js';

/**
 * Placement of the records of a service on several machines: `shared`, with the other read models;
 * or `replica`, folded from the log by each process that serves reads of them, in its own data
 * folder.
 */
const recordsPlacements = ['shared', 'replica'] as const;
type RecordsPlacement = (typeof recordsPlacements)[number];

export type RecordsSettings = {
  readonly records: RecordsPlacement;
  /** Number of partitions of shared records, folded by processes with the role projections. */
  readonly recordsPartitions: number;
  /** The only partition that this process folds; null unless `serve --partition` is given. */
  readonly partition: Partition | null;
  /** Memory for records on DuckDB: beyond it they spill to disk, or refuse. */
  readonly recordsMemoryMb: number;
};

/** Limit: each partition is a collection with its indexes, and a lease that is renewed. */
const partitionsMax = 64;

export const recordsVariables = [
  {
    name: 'ASSAY_RECORDS',
    fallback: 'shared',
    meaning:
      'records with the other read models (shared), or folded by each process that queries them, ' +
      'on its own disk (replica): docs/configuration.md',
  },
  {
    name: 'ASSAY_RECORDS_PARTITIONS',
    fallback: '1',
    meaning:
      'partitions of the shared records, each folded by `serve --roles projections ' +
      `--partition I/N\`, the same for all processes: 1 to ${partitionsMax}`,
  },
  {
    name: 'ASSAY_RECORDS_MEMORY_MB',
    fallback: '300',
    meaning: 'memory of embedded records and of replicas: 256 to 65536',
  },
];

/** Throws Fault `invalid` that names the variable and what is allowed. */
export const readRecordsSettings = (
  text: (name: string, fallback: string) => string,
): RecordsSettings => ({
  records: recordsPlacement(text('ASSAY_RECORDS', 'shared')),
  recordsPartitions: partitionsOf(text('ASSAY_RECORDS_PARTITIONS', '1')),
  partition: null,
  recordsMemoryMb: recordsMemory(text('ASSAY_RECORDS_MEMORY_MB', '300')),
});

type EngineLocations = {
  readonly records: RecordsPlacement;
  readonly recordsPartitions: number;
  readonly eventStoreUrl: string | null;
  readonly mongodbUrl: string | null;
};

/**
 * Refuses placements that do not fit the engines: a process with an embedded log or read models has
 * the records to itself, and a replica has all of them.
 */
export const refuseInvalidPlacement = (places: EngineLocations): void => {
  const { records, recordsPartitions, eventStoreUrl, mongodbUrl } = places;
  const isAlone = eventStoreUrl === null || mongodbUrl === null;
  if (records === 'replica' && isAlone) {
    throw new Fault(
      'invalid',
      'ASSAY_RECORDS=replica is for a service on several machines: set ASSAY_EVENTSTORE_URL and ' +
        'ASSAY_MONGODB_URL too, or leave it out; an embedded service has its records to itself',
    );
  }
  if (recordsPartitions <= 1) return;
  const whole = 'leave ASSAY_RECORDS_PARTITIONS and --partition out';
  if (isAlone) {
    throw new Fault(
      'invalid',
      'records are folded in parts by a service on several machines only: set ' +
        `ASSAY_EVENTSTORE_URL and ASSAY_MONGODB_URL, or ${whole}`,
    );
  }
  if (records === 'replica') {
    throw new Fault(
      'invalid',
      'ASSAY_RECORDS=replica folds all records in each process: leave it at shared, or ' + whole,
    );
  }
};

const partitionsOf = (text: string): number => {
  const value = Number(text);
  if (/^\d{1,2}$/.test(text) && value >= 1 && value <= partitionsMax) return value;
  throw new Fault('invalid', `ASSAY_RECORDS_PARTITIONS must be 1 to ${partitionsMax}`);
};

/**
 * The configuration of a process that folds one partition of the records: `2/4`. Throws Fault
 * `invalid` for a malformed partition, another count than the service has, or a process that folds
 * nothing.
 */
export const withPartition = <C extends PartitionSettings>(
  config: C,
  text: string | undefined,
): C => {
  if (text === undefined) return config;
  const partition = partitionIn(text);
  if (!config.roles.includes('projections') || config.roles.length > 1) {
    throw new Fault('invalid', '--partition is for a process with --roles projections alone');
  }
  const { recordsPartitions: known } = config;
  if (known > 1 && known !== partition.count) {
    throw new Fault(
      'invalid',
      `--partition ${text} is one of ${partition.count}, ASSAY_RECORDS_PARTITIONS says ${known}`,
    );
  }
  const chosen = { ...config, partition, recordsPartitions: partition.count };
  refuseInvalidPlacement(chosen);
  return chosen;
};

type PartitionSettings = EngineLocations & {
  readonly roles: readonly string[];
  readonly partition: Partition | null;
};

/** `2/4`: the second of four. Throws Fault `invalid`. */
const partitionIn = (text: string): Partition => {
  const [, index = '', count = ''] = /^([1-9]\d?)\/([1-9]\d?)$/.exec(text) ?? [];
  const [at, of] = [Number(index), Number(count)];
  if (at >= 1 && at <= of && of >= 2 && of <= partitionsMax) return { index: at, count: of };
  throw new Fault('invalid', `--partition is I/N, such as 2/4: 1 to N of at most ${partitionsMax}`);
};

const recordsPlacement = (text: string): RecordsPlacement => {
  const place = recordsPlacements.find((one) => one === text);
  if (place !== undefined) return place;
  throw new Fault('invalid', `ASSAY_RECORDS must be one of ${recordsPlacements.join(', ')}`);
};

/** Lower limit: a page of the longest texts and a batch must fit at the same time. */
const recordsMemory = (text: string): number => {
  const value = Number(text);
  if (/^\d{3,5}$/.test(text) && value >= 256 && value <= 65_536) return value;
  throw new Fault('invalid', 'ASSAY_RECORDS_MEMORY_MB must be 256 to 65536');
};
