import { useEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import {
  hashKey,
  keepPreviousData,
  QueryClient,
  QueryObserver,
  type QueryKey,
  type QueryObserverOptions,
} from '@tanstack/query-core';
import { AssayFault, isFault } from '../../clients/typescript/src/fault.js';
import { isRetryable } from '../../clients/typescript/src/retry.js';
import { uuid } from '../../clients/typescript/src/uuid.js';
import type { CallOptions } from '../../clients/typescript/src/call.js';
import { readPermit, type Permit, type Requirement } from '../parts/permits.js';
import { useSurroundings } from './context.js';
import type { PermittedOperations } from './operations.js';
import type { ReadResult } from './service.js';
import { isRefusal, writeFault } from './write-faults.js';

/** Answers stay for five minutes after the last part that shows them, so that Back is at once. */
const keptMs = 5 * 60_000;
/** How often an answer that lacks this page's last write is asked for again. */
const behindMs = 1_000;
/** The least wait before a question whose answer failed for a moment is asked again. */
const failedMs = 10_000;

export const openQueries = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        // The client retries; a second layer would multiply the tries.
        retry: false,
        gcTime: keptMs,
        networkMode: 'always',
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        structuralSharing: false,
      },
    },
  });

type QuerySpec<T, R extends Requirement> = {
  /** Names the query: same key, same answer. The first member is the noun, in plural. */
  readonly key: QueryKey;
  /** For a question that not every caller may ask: it is asked where this allows it. */
  readonly permit?: Permit<R>;
  readonly ask: (operations: PermittedOperations<R>, signal: AbortSignal) => Promise<T>;
  /** False: not asked yet. */
  readonly isEnabled?: boolean;
  /** Asks again after that many milliseconds while the page is visible. */
  readonly everyMs?: number | false;
  /** Age up to which an answer is shown without asking again; 0 by default. */
  readonly freshMs?: number;
  /** Shows the previous key's answer until the new one comes, also while the service is silent. */
  readonly keepsPrevious?: boolean;
};

export type Query<T> = {
  readonly value: T | undefined;
  readonly fault: AssayFault | null;
  /** True while no answer has come. */
  readonly isLoading: boolean;
  readonly isFetching: boolean;
  /** True where `value` answers the key before, or an earlier question. */
  readonly isPrevious: boolean;
  /** True where `value` may lack this page's last write. */
  readonly isBehind: boolean;
  /** Milliseconds since 1970 of the answer; 0 before it. */
  readonly answeredAt: number;
  readonly refetch: () => void;
};

/**
 * Asks once per key for all parts that show it; a part that leaves alone aborts the request. After
 * a transient fault it asks again by itself while the page is visible.
 */
export const useQuery = <T, R extends Requirement = 'viewer'>(spec: QuerySpec<T, R>): Query<T> => {
  const { service, queries } = useSurroundings();
  const permit = spec.permit ?? (readPermit as Permit<R>);
  const isEnabled = permit.isAllowed && (spec.isEnabled ?? true);
  const everyMs = spec.everyMs ?? false;
  const options: QueryObserverOptions<ReadResult<T>> = {
    queryKey: spec.key,
    queryFn: ({ signal }) => service.read(permit, (operations) => spec.ask(operations, signal)),
    enabled: isEnabled,
    refetchInterval: ({ state }) => {
      if (state.data?.isBehind === true) return behindMs;
      return everyMs === false ? recoveryMs(faultOf(state.error)) : everyMs;
    },
    staleTime: spec.freshMs ?? 0,
    ...(spec.keepsPrevious === true && { placeholderData: keepPreviousData }),
  };
  const [observer] = useState(() => new QueryObserver<ReadResult<T>>(queries, options));
  const [, update] = useReducer((count: number, _event: null) => count + 1, 0);
  useEffect(() => observer.subscribe(() => update(null)), [observer]);
  useEffect(() => observer.setOptions(options), [hashKey(spec.key), isEnabled, everyMs]);
  const result = observer.getOptimisticResult(queries.defaultQueryOptions(options));
  const fault = faultOf(result.error);
  const last = useRef<ReadResult<T> | undefined>(undefined);
  last.current = result.data ?? last.current;
  // Without an answer the one before stays readable.
  const isCutOff =
    spec.keepsPrevious === true &&
    result.data === undefined &&
    fault !== null &&
    isRetryable(fault) &&
    last.current !== undefined;
  const data = isCutOff ? last.current : result.data;
  return {
    value: data?.value,
    fault,
    isLoading: result.isPending && isEnabled,
    isFetching: result.isFetching,
    isPrevious: result.isPlaceholderData || isCutOff,
    isBehind: data?.isBehind ?? false,
    answeredAt: result.dataUpdatedAt,
    refetch: () => void observer.refetch(),
  };
};

/** The caller, with the credential of this tab. */
export const useCaller = () =>
  useQuery({
    key: ['users', 'current'],
    ask: (operations, signal) => operations.logins.currentUser({}, { signal }),
    freshMs: 60_000,
  });

/** Wait until the next try, as long as the service requested; false where a try is pointless. */
const recoveryMs = (fault: AssayFault | null): number | false =>
  fault !== null && isRetryable(fault) && Math.max(fault.retryAfterMs ?? 0, failedMs);

const faultOf = (error: Error | null): AssayFault | null =>
  error === null ? null : faultOfError(error);

const faultOfError = (error: Error): AssayFault =>
  isFault(error)
    ? error
    : new AssayFault(`The page failed: ${error.message}`, { code: 'unreadable', cause: error });

export type Action<I> = {
  /** Whether the caller may run it: what its controls show. */
  readonly permit: Permit;
  /** Resolves with true when it was done; a second call while it runs does nothing. */
  readonly run: (input: I) => Promise<boolean>;
  readonly isRunning: boolean;
  readonly fault: AssayFault | null;
  readonly clearFault: () => void;
};

/**
 * A write, with the operations that its permit covers: its controls are disabled where the permit
 * refuses. `act` gets the options for its call: strict handling, and an idempotency key that stays
 * the same until the write succeeded. Queries whose key begins with a noun of `changes` are asked
 * again.
 */
export const useAction = <R extends Requirement, I = void>(
  permit: Permit<R>,
  act: (operations: PermittedOperations<R>, input: I, options: CallOptions) => Promise<unknown>,
  changes: readonly string[] = [],
): Action<I> => {
  const { service, queries } = useSurroundings();
  const [state, setState] = useState<{ isRunning: boolean; fault: AssayFault | null }>({
    isRunning: false,
    fault: null,
  });
  const call = useMemo(() => ({ key: uuid(), isRunning: false }), []);
  const update = (): void => {
    for (const noun of changes) void queries.invalidateQueries({ queryKey: [noun] });
  };
  const run = async (input: I): Promise<boolean> => {
    if (call.isRunning) return false;
    call.isRunning = true;
    setState({ isRunning: true, fault: null });
    try {
      const operations = service.permitted(permit);
      await act(operations, input, { strict: true, idempotencyKey: call.key });
      call.key = uuid();
      setState({ isRunning: false, fault: null });
      update();
      return true;
    } catch (error) {
      // A refusal may be stored under its key; only an unclear end needs the same key again.
      if (isRefusal(error)) call.key = uuid();
      const fault = faultOfError(writeFault(error) as Error);
      setState({ isRunning: false, fault });
      // A conflict is with what the page does not show yet.
      if (fault.code === 'conflict') update();
      return false;
    } finally {
      call.isRunning = false;
    }
  };
  return { permit, ...state, run, clearFault: () => setState({ ...state, fault: null }) };
};

/** The end of a write of a queue: its answer, or why it failed. */
type WriteOutcome<T> = { readonly value: T } | { readonly fault: AssayFault };

type WriteQueue<R extends Requirement> = {
  /** Does the write after all earlier ones; the page goes on meanwhile. */
  readonly add: <T>(
    write: (operations: PermittedOperations<R>, options: CallOptions) => Promise<T>,
  ) => Promise<WriteOutcome<T>>;
  /** Number of writes that have not ended. */
  readonly waiting: number;
};

/**
 * Writes that the page does not wait for, one at a time in the order of their calls. A failed one
 * does not stop those behind it. After each, queries whose key begins with a noun of `changes` are
 * asked again.
 */
export const useWriteQueue = <R extends Requirement>(
  permit: Permit<R>,
  changes: readonly string[],
): WriteQueue<R> => {
  const { service, queries } = useSurroundings();
  const [waiting, setWaiting] = useState(0);
  const last = useMemo(() => ({ ended: Promise.resolve<unknown>(null) }), []);
  return {
    waiting,
    add: (write) => {
      setWaiting((count) => count + 1);
      const outcome = last.ended.then(async () => {
        try {
          const operations = service.permitted(permit);
          return { value: await write(operations, { strict: true, idempotencyKey: uuid() }) };
        } catch (error) {
          return { fault: faultOfError(error as Error) };
        } finally {
          setWaiting((count) => count - 1);
          for (const noun of changes) void queries.invalidateQueries({ queryKey: [noun] });
        }
      });
      last.ended = outcome;
      return outcome;
    },
  };
};
