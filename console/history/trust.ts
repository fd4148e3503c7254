import { useEffect, useMemo, useState } from 'preact/hooks';
import { useSurroundings } from '../client/context.js';
import { useQuery } from '../client/queries.js';
import type { Permit } from '../parts/permits.js';
import type { HistoryChecks } from './checks.js';
import type { CheckStep } from './seal-signature.js';

/** The worker that checks, started with the part and ended with it. */
export const useChecks = () => {
  const { workers } = useSurroundings();
  const link = useMemo(() => workers.open<HistoryChecks>('history'), []);
  useEffect(() => () => link.close(), []);
  return link;
};

export type KeyChoice = {
  readonly vkeys: readonly string[];
  /** True where the user gave the key; else it came from the service. */
  readonly isPinned: boolean;
  readonly pin: (vkey: string | null) => void;
  readonly isLoading: boolean;
};

/** The key that this browser keeps, else those of the service, which cannot vouch for itself. */
export const useTrustedKeys = (): KeyChoice => {
  const { storage } = useSurroundings();
  const [pinned, setPinned] = useState(() => storage.read('vkey'));
  const keys = useQuery({
    key: ['history', 'keys'],
    ask: (operations, signal) => operations.seals.listSealingKeys({}, { signal }),
    isEnabled: pinned === null,
    freshMs: 60_000,
  });
  return {
    vkeys: pinned === null ? (keys.value?.keys ?? []).map(({ vkey }) => vkey) : [pinned],
    isPinned: pinned !== null,
    pin: (vkey) => {
      storage.write('vkey', vkey);
      setPinned(vkey);
    },
    isLoading: pinned === null && keys.isLoading,
  };
};

type SealStatus = {
  /** The newest seal; null: none yet. */
  readonly seal: { readonly size: number; readonly at: string; readonly note: string } | null;
  /** Whether it continues the checkpoint that this browser kept; null: not known yet. */
  readonly step: CheckStep | null;
  /** Takes the newest seal in place of the kept checkpoint. */
  readonly keep: () => void;
};

/** The newest seal of the organisation, for its admins and auditors. */
export const useNewestSeal = (permit: Permit<'audit-org'>, freshMs = 0) =>
  useQuery({
    key: ['history', 'seals', 'newest'],
    permit,
    ask: (operations, signal) => operations.seals.list({ limit: 1 }, { signal }),
    freshMs,
  });

/** The newest seal of the organisation, compared with the one that this browser kept. */
export const useSealStatus = (permit: Permit<'audit-org'>): SealStatus | null => {
  const { storage } = useSurroundings();
  const checks = useChecks();
  const trusted = useTrustedKeys();
  const [step, setStep] = useState<CheckStep | null>(null);
  const [kept, setKept] = useState(() => storage.read('checkpoint'));
  const seals = useNewestSeal(permit);
  const seal = seals.value?.seals[0] ?? null;
  const keptSize = Number(kept?.split('\n')[1] ?? Number.NaN);
  const isLater = seal !== null && keptSize > 0 && keptSize < seal.size;
  const consistency = useQuery({
    key: ['history', 'consistency', keptSize, seal?.size],
    permit,
    ask: (operations, signal) =>
      operations.seals.proveConsistency({ from: keptSize, to: seal?.size ?? 0 }, { signal }),
    isEnabled: isLater,
    freshMs: 60_000,
  });
  const keep = (): void => {
    if (seal === null) return;
    storage.write('checkpoint', seal.note);
    setKept(seal.note);
  };
  const isReady = !isLater || consistency.value !== undefined || consistency.fault !== null;
  useEffect(() => {
    if (seal === null || !isReady || trusted.isLoading) return;
    const check = async (): Promise<void> => {
      const { note } = seal;
      const signed = await checks.ask('seal', { note, vkeys: trusted.vkeys });
      if (signed.outcome === 'fails') return setStep(signed);
      const hashes = consistency.value?.hashes ?? null;
      const found =
        kept === null
          ? { outcome: 'holds' as const, note: 'kept by this browser from now on' }
          : await checks.ask('continuity', { kept, newest: note, hashes });
      setStep(found);
      if (found.outcome === 'holds' && kept !== note) storage.write('checkpoint', note);
    };
    void check().catch((error: Error) => setStep({ outcome: 'unchecked', note: error.message }));
  }, [seal?.note, isReady, kept, trusted.isLoading, trusted.vkeys.join()]);
  return seals.value === undefined ? null : { seal, step, keep };
};
