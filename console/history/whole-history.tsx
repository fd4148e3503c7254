import { useState } from 'preact/hooks';
import type { AssayFault } from '../../clients/typescript/src/fault.js';
import { useSurroundings } from '../client/context.js';
import { useQuery } from '../client/queries.js';
import { Button } from '../parts/button.js';
import { printCount } from '../parts/numbers.js';
import type { Operations } from '../client/operations.js';
import { useFirstEntry, type AuditPermit } from './questions.js';
import { fails, holds, unchecked, type CheckStep } from './seal-signature.js';
import { KeyNotice, NotProven, StepLine } from './steps.js';
import { useChecks, useTrustedKeys } from './trust.js';
import { UnsealedNotice } from './unsealed.js';

/** Lines that the worker checks at once: some 100 KB, and a progress every few milliseconds. */
const linesAtOnce = 256;

type Begun = { readonly checkpoint: string; readonly scope: string; readonly size: number };
type Progress = { readonly entries: number; readonly size: number };
type Outcome = { readonly entries: CheckStep; readonly signature: CheckStep };

type Run = {
  readonly operations: Operations;
  readonly checks: ReturnType<typeof useChecks>;
  readonly vkeys: readonly string[];
  readonly projectId: string | null;
  readonly kept: string | null;
  readonly onProgress: (progress: Progress) => void;
  readonly signal: AbortSignal;
};

/** Reads the whole export and checks it line by line as it comes. */
const checkWhole = async (run: Run): Promise<Outcome> => {
  const { operations, checks, signal } = run;
  let begun: Begun | null = null;
  let signature: CheckStep = unchecked('no seal');
  let counts = { entries: 0, erased: 0, withheld: 0, unsealed: 0 };
  for (let cursor: string | undefined = undefined, isOver = false; !isOver;) {
    const scope = run.projectId === null ? {} : { project_id: run.projectId };
    const question = { ...scope, ...(cursor !== undefined && { cursor }) };
    const file = await operations.historyExports.export(question, { signal });
    let lines: string[] = [];
    const flush = async (): Promise<string | null> => {
      if (lines.length === 0) return null;
      const { complaint, ...rest } = await checks.ask('add', lines);
      lines = [];
      counts = rest;
      run.onProgress({ entries: rest.entries, size: begun?.size ?? 0 });
      return complaint;
    };
    isOver = true;
    for await (const line of file.lines()) {
      if (line === '') continue;
      if (line.startsWith('{"begun":')) {
        begun = (JSON.parse(line) as { readonly begun: Begun }).begun;
        const { checkpoint } = begun;
        const isWhole = begun.scope === 'organization';
        await checks.ask('begin', { checkpoint, isWhole, kept: isWhole ? run.kept : null });
        signature = await checks.ask('seal', { note: checkpoint, vkeys: run.vkeys });
      } else if (line.startsWith('{"next_cursor":')) {
        const next = (JSON.parse(line) as { readonly next_cursor: string | null }).next_cursor;
        cursor = next ?? undefined;
        isOver = next === null;
      } else {
        lines.push(line);
        const complaint = lines.length < linesAtOnce ? null : await flush();
        if (complaint !== null) return { entries: fails(complaint), signature };
      }
    }
    const complaint = await flush();
    if (complaint !== null) return { entries: fails(complaint), signature };
  }
  const { complaint } = await checks.ask('end', null as never);
  const { entries, erased, withheld, unsealed } = counts;
  const text =
    `${printCount(entries)} entries make the root of the seal; ${printCount(erased)} erased, ` +
    `${printCount(withheld)} secret, ${printCount(unsealed)} not sealed yet`;
  return { entries: complaint === null ? holds(text) : fails(complaint), signature };
};

/** The whole history, checked by this browser, with the service's own word beside it. */
export const WholeHistory = (props: {
  readonly permit: AuditPermit;
  readonly projectId: string | null;
}) => {
  const { permit, projectId } = props;
  const { service, storage } = useSurroundings();
  const checks = useChecks();
  const keys = useTrustedKeys();
  const [progress, setProgress] = useState<Progress | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [failure, setFailure] = useState<Error | null>(null);
  const [running, setRunning] = useState<AbortController | null>(null);
  const start = (): void => {
    const controller = new AbortController();
    setRunning(controller);
    setOutcome(null);
    setFailure(null);
    setProgress(null);
    const run = {
      operations: service.api,
      checks,
      vkeys: keys.vkeys,
      projectId,
      kept: storage.read('checkpoint'),
      onProgress: setProgress,
      signal: controller.signal,
    };
    checkWhole(run)
      .then(setOutcome, (error: Error) => setFailure(error))
      .finally(() => setRunning(null));
  };
  return (
    <section class="stack" aria-label="Whole history">
      <p>
        Reads every entry and checks the chain, the tree and its seal in this browser. Records come
        with their content.
      </p>
      <div class="inline">
        <Button look="primary" isDisabled={running !== null || keys.isLoading} onClick={start}>
          Check the whole history
        </Button>
        {running !== null && <Button onClick={() => running.abort()}>Stop</Button>}
        <NotProven />
      </div>
      {running !== null && progress !== null && (
        <progress
          aria-label={`${printCount(progress.entries)} entries checked`}
          max={Math.max(progress.size, progress.entries)}
          value={progress.entries}
        />
      )}
      {failure !== null && <Failure {...props} failure={failure} />}
      {outcome !== null && (
        <div role="status">
          <ul class="check-steps">
            <StepLine name="entries" step={outcome.entries} />
            <StepLine name="signature" step={outcome.signature} />
          </ul>
        </div>
      )}
      {outcome !== null && <KeyNotice keys={keys} />}
      {projectId === null && <OwnWord permit={permit} />}
    </section>
  );
};

/** Why there was nothing to check, or why the check ended early. */
const Failure = (props: {
  readonly permit: AuditPermit;
  readonly failure: Error;
  readonly projectId: string | null;
}) => {
  // The scope itself is there, its timeline is shown: only the seal can be missing.
  const isUnsealed = (props.failure as AssayFault).code === 'not_found';
  const first = useFirstEntry(props.permit, props.projectId, isUnsealed).value ?? null;
  if (isUnsealed) return <UnsealedNotice what="This history" since={first?.at ?? null} />;
  return (
    <p class="notice bad-notice" role="alert">
      The check ended early: {props.failure.message}
    </p>
  );
};

/** The service's own check, which it could also invent. */
const OwnWord = ({ permit }: { readonly permit: AuditPermit }) => {
  const [isAsked, setIsAsked] = useState(false);
  const verdict = useQuery({
    key: ['history', 'verify'],
    permit,
    ask: (operations, signal) => operations.history.verify({}, { signal }),
    isEnabled: isAsked,
  });
  const { value, fault } = verdict;
  return (
    <div class="inline">
      <Button onClick={() => (isAsked ? verdict.refetch() : setIsAsked(true))}>
        Ask the service too
      </Button>
      <span role="status">
        {value !== undefined &&
          `By its own word: ${value.status}, ${printCount(value.checked)} entries checked` +
            (value.broken_at === null
              ? ''
              : `; broken at ${value.broken_at.seq} (${value.broken_at.reason})`)}
        {fault?.message}
      </span>
    </div>
  );
};
