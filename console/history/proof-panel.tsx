import { useEffect, useState } from 'preact/hooks';
import type { HistoryEntry } from '../../clients/typescript/src/generated/history-types.js';
import type { HistoryProof } from '../../clients/typescript/src/generated/seals-types.js';
import { useSurroundings } from '../client/context.js';
import { useCaller, useQuery } from '../client/queries.js';
import { Button } from '../parts/button.js';
import { FaultNotice, Skeleton } from '../parts/notice.js';
import { instantFigure } from '../parts/instants.js';
import { auditPermit } from '../parts/permits.js';
import { parseInclusionProof } from '../../ledger/chain/proof-text.js';
import type { ProofSteps } from './proof-check.js';
import { KeyNotice, NotProven, StepLine } from './steps.js';
import { useChecks, useNewestSeal, useTrustedKeys } from './trust.js';
import { UnsealedNotice } from './unsealed.js';
import { proofVerdict } from './verdict.js';

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
    // Without the keys the signature would be called unchecked for a moment.
    if (answer === undefined || keys.isLoading) return;
    checks
      .ask('proof', { answer, vkeys: keys.vkeys })
      .then(setSteps, (error: Error) => setFailure(error.message));
  };
  useEffect(check, [answer, keys.isLoading, keys.vkeys.join()]);
  if (proof.fault?.code === 'not_found')
    return <UnsealedNotice what="This entry" since={entry.at} />;
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
          <div role="status" class="stack">
            <Verdict steps={steps} proof={answer?.proof ?? ''} vkeys={keys.vkeys} />
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

const looks = { holds: 'good', fails: 'bad', unchecked: 'warn' } as const;

/** Age up to which the time of a seal is not asked for again, so that a check works offline. */
const sealFreshMs = 300_000;

/** The outcome in a sentence: unchanged since when, and by which key. */
const Verdict = (props: {
  readonly steps: ProofSteps;
  readonly proof: string;
  readonly vkeys: readonly string[];
}) => {
  const { appearance, clock } = useSurroundings();
  const seals = useNewestSeal(auditPermit(useCaller().value), sealFreshMs);
  const seal = parseInclusionProof(props.proof)?.checkpoint;
  const newest = seals.value?.seals[0];
  const scale = { nowMs: clock.now(), zone: appearance.zone.value };
  // The time of an older seal, or without the right to list them, is not known.
  const at = newest?.size === seal?.size ? instantFigure(newest?.at ?? '', scale)?.text : undefined;
  const trusted = props.vkeys.map((vkey) => vkey.split('+')[1]);
  const keyId = seal?.signatures.find((one) => trusted.includes(one.keyId))?.keyId;
  const sealed =
    (at === undefined ? '' : ` on ${at}`) + (keyId === undefined ? '' : ` by key ${keyId}`);
  const { outcome, text } = proofVerdict(props.steps, sealed);
  return <strong class={looks[outcome]}>{text}</strong>;
};

/** Opens the proof of the open entry, and closes it. */
export const ProveButton = (props: {
  readonly prove: 'on' | 'off';
  readonly onChange: (prove: 'on' | 'off') => void;
}) => (
  <Button
    isExpanded={props.prove === 'on'}
    onClick={() => props.onChange(props.prove === 'on' ? 'off' : 'on')}
  >
    {props.prove === 'on' ? 'Close the proof' : 'Prove'}
  </Button>
);
