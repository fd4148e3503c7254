import { useEffect, useState } from 'preact/hooks';
import type { HistoryEntry } from '../../clients/typescript/src/generated/history-types.js';
import type { HistoryProof } from '../../clients/typescript/src/generated/seals-types.js';
import { useSurroundings } from '../client/context.js';
import { Instant } from '../client/instants.js';
import { useQuery } from '../client/queries.js';
import { Button } from '../parts/button.js';
import { FaultNotice, Skeleton } from '../parts/notice.js';
import type { ProofSteps } from './proof-check.js';
import { KeyNotice, NotProven, StepLine } from './steps.js';
import { useChecks, useTrustedKeys } from './trust.js';

const stepNames = ['content', 'fields', 'path', 'signature'] as const;

/** The proof of one entry, checked by this browser and not by the service. */
export const ProofPanel = ({ entry }: { readonly entry: HistoryEntry }) => {
  const { files } = useSurroundings();
  const checks = useChecks();
  const keys = useTrustedKeys();
  const [steps, setSteps] = useState<ProofSteps | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const proof = useQuery({
    key: ['history', 'proof', entry.seq],
    ask: (operations, signal) => operations.seals.proveEntry({ seq: entry.seq }, { signal }),
  });
  const answer = proof.value;
  const check = (): void => {
    setSteps(null);
    if (answer === undefined) return;
    checks
      .ask('proof', { answer, vkeys: keys.vkeys })
      .then(setSteps, (error: Error) => setFailure(error.message));
  };
  useEffect(check, [answer, keys.isLoading, keys.vkeys.join()]);
  if (proof.fault?.code === 'not_found') return <Unsealed entry={entry} />;
  return (
    <section class="proof" aria-label={`Proof of entry ${entry.seq}`}>
      <FaultNotice fault={proof.fault} onRetry={proof.refetch} />
      {failure !== null && (
        <p class="bad" role="alert">
          {failure}
        </p>
      )}
      {steps === null && proof.fault === null && failure === null && <Skeleton rows={2} />}
      {steps !== null && (
        <>
          <div role="status">
            <ul class="check-steps">
              {stepNames.map((name) => (
                <StepLine key={name} name={name} step={steps[name]} />
              ))}
            </ul>
          </div>
          <KeyNotice keys={keys} />
          <div class="inline">
            <Button onClick={check}>Check again</Button>
            <Button onClick={() => void save(files, entry.seq, answer)}>Save</Button>
            <NotProven />
          </div>
        </>
      )}
    </section>
  );
};

type Files = ReturnType<typeof useSurroundings>['files'];

/** Saves the answer as `assay-verify.mjs` takes it. */
const save = async (files: Files, seq: number, answer: HistoryProof | undefined): Promise<void> => {
  const file = await files.create(`proof-${seq}.json`, 'application/json');
  await file?.write(new TextEncoder().encode(JSON.stringify(answer)));
  await file?.close();
};

const Unsealed = ({ entry }: { readonly entry: HistoryEntry }) => (
  <p class="notice stale-notice" role="status">
    <span>
      Not sealed yet: it waits since <Instant at={entry.at} />. Until then it is chained and not
      signed; seals come at least hourly while events do.
    </span>
  </p>
);

/** Opens the proof of the open entry, and closes it. */
export const ProveButton = (props: {
  readonly prove: 'on' | 'off';
  readonly onChange: (prove: 'on' | 'off') => void;
}) => (
  <Button
    isPressed={props.prove === 'on'}
    onClick={() => props.onChange(props.prove === 'on' ? 'off' : 'on')}
  >
    Prove
  </Button>
);
