import type { Leases } from '../../kernel/ports.js';
import { mapDriverErrors, connect } from './connect.js';

type LeaseDocument = {
  readonly _id: string;
  readonly holder: string | null;
  readonly fence: number;
  readonly until: Date;
};

/** Timeout of a lease operation: a later answer would be useless. */
const leaseTimeoutMs = 2_000;

/**
 * Leases shared by several processes, with fencing tokens: one document each, changed atomically.
 * Times are the server's, so the processes' clocks need not agree.
 */
export const openMongoLeases = async ({ url }: { readonly url: string }): Promise<Leases> => {
  const { db, close } = await connect(url);
  const leases = db.collection<LeaseDocument>('leases');
  return {
    acquire: (name, holder, milliseconds) =>
      mapDriverErrors(async () => {
        const isOurs = { $eq: ['$holder', { $literal: holder }] };
        // True also for a lease never held: a missing time sorts before every time.
        const isFree = { $lte: ['$until', '$$NOW'] };
        const mayTake = { $or: [isOurs, isFree] };
        const next = { $add: [{ $ifNull: ['$fence', 0] }, 1] };
        const taking = {
          fence: { $cond: [isOurs, '$fence', { $cond: [isFree, next, '$fence'] }] },
          holder: { $cond: [mayTake, { $literal: holder }, '$holder'] },
          until: { $cond: [mayTake, { $add: ['$$NOW', milliseconds] }, '$until'] },
        };
        const lease = await leases.findOneAndUpdate({ _id: { $eq: name } }, [{ $set: taking }], {
          upsert: true,
          returnDocument: 'after',
          maxTimeMS: leaseTimeoutMs,
        });
        return lease?.holder === holder ? lease.fence : null;
      }),
    release: (name, holder) =>
      mapDriverErrors(async () => {
        // Free from now on; the next holder gets a new fence.
        await leases.updateOne(
          { _id: { $eq: name }, holder: { $eq: holder } },
          { $set: { holder: null, until: new Date(0) } },
        );
      }),
    close,
  };
};
