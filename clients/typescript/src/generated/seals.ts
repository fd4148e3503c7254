// Written by npm run generate from the contract: change that.
import type { Call, CallOptions, Download, NoInput, Paged } from '../call.js';
import type {
  HistoryConsistency,
  HistoryProof,
  HistorySealPage,
  SealingKeySet,
} from './seals-types.js';

/** Signed states of the history, and proofs that need no trust in the service. */
export class Seals {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * The newest seal of the history, as a checkpoint. A C2SP tlog-checkpoint: origin, size and
   * root, signed. Keep it somewhere else: a history that was written anew later does not
   * continue it. (contract 5.14)
   */
  checkpoint(input: NoInput = {}, options?: CallOptions): Promise<Download> {
    return this.#call.download(
      { method: 'GET', path: '/history/checkpoint', isRead: true },
      input,
      options,
    );
  }
  /**
   * Seals of the history, newest first. Each covers the entries up to `size` and continues
   * the one before: it was proven before it was signed. (contract 5.14)
   */
  list(
    input: { readonly cursor?: string; readonly limit?: number } = {},
    options?: CallOptions,
  ): Paged<HistorySealPage, HistorySealPage['seals'][number]> {
    return this.#call.pages(
      { method: 'GET', path: '/history/seals', isRead: true, query: 'cursor limit' },
      input,
      options,
      'seals',
    );
  }
  /**
   * All keys that seals were ever signed with. A JWK set. An auditor takes the key from
   * elsewhere once and compares: a key from the service cannot vouch for the service.
   * (contract 5.14)
   */
  listSealingKeys(input: NoInput = {}, options?: CallOptions): Promise<SealingKeySet> {
    return this.#call.answer(
      { method: 'GET', path: '/history/keys', isRead: true, schemes: '' },
      input,
      options,
    );
  }
  /**
   * Prove that an entry is in a sealed history. Exactly one of `event_id` and `seq`; an id is
   * looked for from the newest entry on for 10 s. `proof` is a C2SP tlog-proof for the leaf
   * SHA-256(0x00, `hash`). (contract 5.14)
   */
  proveEntry(
    input: { readonly event_id?: string; readonly seq?: number; readonly size?: number } = {},
    options?: CallOptions,
  ): Promise<HistoryProof> {
    return this.#call.answer(
      { method: 'GET', path: '/history/proof', isRead: true, query: 'event_id seq size' },
      input,
      options,
    );
  }
  /**
   * Prove that an earlier history is a prefix of a later one. Consistency proof (RFC 9162,
   * 2.1.4): compares a stored checkpoint with today’s. (contract 5.14)
   */
  proveConsistency(
    input: { readonly from: number; readonly to: number },
    options?: CallOptions,
  ): Promise<HistoryConsistency> {
    return this.#call.answer(
      { method: 'GET', path: '/history/consistency', isRead: true, query: 'from to' },
      input,
      options,
    );
  }
}
