import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useSurroundings } from '../client/context.js';
import { Instant } from '../client/instants.js';
import type { PermittedOperations } from '../client/operations.js';
import { Button } from '../parts/button.js';
import { Select, TextField } from '../parts/field.js';
import { printCount } from '../parts/numbers.js';
import type { Permit } from '../parts/permits.js';
import type { Certificate, CertificateOutcome } from './certificate-check.js';
import { certificateKinds, type CertificateKind } from './model.js';
import { KeyNotice, NotProven, StepLine } from './steps.js';
import { useChecks, useTrustedKeys } from './trust.js';

/** Lines that the worker checks at once: each has some 1.5 KB. */
const linesAtOnce = 256;
const stepNames = ['entries', 'seal', 'statement'] as const;

type Subject = { readonly kind: CertificateKind; readonly id: string };

const subjectOf = (cert: string): Subject => {
  const [kind, id = ''] = cert.split(':');
  const known = certificateKinds.find(({ value }) => value === kind);
  return { kind: known?.value ?? 'deletion', id };
};

type Auditing = PermittedOperations<'audit-org'>;

const askCertificate = (operations: Auditing, { kind, id }: Subject, signal: AbortSignal) =>
  operations.historyExports.certifyErasure({ [`${kind}_id`]: id }, { signal });

/** Reads a certificate and checks it line by line as it comes. */
const checkCertificate = async (
  operations: Auditing,
  checks: ReturnType<typeof useChecks>,
  { subject, vkeys }: { readonly subject: Subject; readonly vkeys: readonly string[] },
  { signal, onProgress }: { signal: AbortSignal; onProgress: (entries: number) => void },
): Promise<CertificateOutcome> => {
  const file = await askCertificate(operations, subject, signal);
  await checks.ask('beginCertificate', null as never);
  let lines: string[] = [];
  const flush = async (): Promise<void> => {
    const { entries } = await checks.ask('addToCertificate', lines);
    lines = [];
    onProgress(entries);
  };
  for await (const line of file.lines()) {
    if (line !== '') lines.push(line);
    if (lines.length === linesAtOnce) await flush();
  }
  await flush();
  return checks.ask('endCertificate', { vkeys });
};

/** The certificate of an erasure, checked by this browser. */
export const ErasureCertificate = (props: {
  readonly permit: Permit<'audit-org'>;
  readonly cert: string;
  readonly onChange: (cert: string) => void;
}) => {
  const { files, service } = useSurroundings();
  const subject = subjectOf(props.cert);
  const keys = useTrustedKeys();
  const check = useCertificateCheck(props.permit, subject, keys.vkeys);
  const save = async (): Promise<void> => {
    const { signal } = new AbortController();
    const name = `certificate-${subject.kind}-${subject.id}.jsonl`;
    const file = await files.create(name, 'application/x-ndjson');
    const lines = await askCertificate(service.permitted(props.permit), subject, signal);
    for await (const chunk of lines.bytes()) await file?.write(chunk);
    await file?.close();
  };
  const write = (change: Partial<Subject>): void => {
    const { kind, id } = { ...subject, ...change };
    check.clear();
    props.onChange(`${kind}:${id}`);
  };
  return (
    <section class="stack" aria-label="Certificate of an erasure">
      <p>
        Lists who asked for a deletion, what was erased, and its place under a seal. Its signed
        statement says what was found left when it was issued.
      </p>
      <form
        class="history-filters"
        onSubmit={(event) => {
          event.preventDefault();
          check.start();
        }}
      >
        <Select
          label="Deleted"
          value={subject.kind}
          choices={certificateKinds}
          onChange={(kind) => write({ kind })}
        />
        <TextField label="Id" value={subject.id} onInput={(id) => write({ id: id.trim() })} />
        <Button type="submit" look="primary" isDisabled={check.isRunning || keys.isLoading}>
          Check the certificate
        </Button>
        <NotProven />
      </form>
      {check.isRunning && <p role="status">{printCount(check.entries)} entries checked…</p>}
      {check.failure !== null && (
        <p class="notice bad-notice" role="alert">
          {check.failure}
        </p>
      )}
      {check.outcome !== null && (
        <>
          <Outcome outcome={check.outcome} />
          <KeyNotice keys={keys} />
          <div class="inline">
            <Button onClick={() => void save()}>Save</Button>
          </div>
        </>
      )}
    </section>
  );
};

const Outcome = ({ outcome }: { readonly outcome: CertificateOutcome }) => (
  <>
    <div role="status">
      <ul class="check-steps">
        {stepNames.map((name) => (
          <StepLine key={name} name={name} step={outcome.steps[name]} />
        ))}
      </ul>
    </div>
    {outcome.certificate !== null && <Statement certificate={outcome.certificate} />}
  </>
);

const idle = { outcome: null, failure: null, isRunning: false, entries: 0 };
type CheckState = {
  readonly outcome: CertificateOutcome | null;
  readonly failure: string | null;
  readonly isRunning: boolean;
  readonly entries: number;
};

const useCertificateCheck = (
  permit: Permit<'audit-org'>,
  subject: Subject,
  vkeys: readonly string[],
) => {
  const { service } = useSurroundings();
  const checks = useChecks();
  const [state, setState] = useState<CheckState>(idle);
  const start = (): void => {
    const { signal } = new AbortController();
    setState({ ...idle, isRunning: true });
    const onProgress = (entries: number): void => setState((now) => ({ ...now, entries }));
    const operations = service.permitted(permit);
    checkCertificate(operations, checks, { subject, vkeys }, { signal, onProgress }).then(
      (outcome) => setState({ ...idle, outcome }),
      (error: Error) => setState({ ...idle, failure: error.message }),
    );
  };
  return { ...state, start, clear: () => setState(idle) };
};

const disks = {
  given_back: 'given back',
  not_yet: 'not yet given back',
  unknown: 'not known',
} as const;

/** Statements that the operator attests, and nothing proves. */
const Statement = ({ certificate }: { readonly certificate: Certificate }) => {
  const { found, backups } = certificate;
  const records = found.records_left === null ? 'not counted' : printCount(found.records_left);
  return (
    <>
      <dl class="entry-facts">
        <Fact name="issued">
          <Instant at={certificate.issued_at} />
        </Fact>
        <Fact name="streams left">
          {printCount(found.streams_left)} of {printCount(found.streams)}
        </Fact>
        <Fact name="records left">{records}</Fact>
        <Fact name="disk of the log">
          {disks[found.disk]} <Instant at={found.disk_at} />
        </Fact>
        <Fact name="last backup">
          {backups === null ? 'not said by the operator' : <Instant at={backups.expired_at} />}
        </Fact>
      </dl>
      <p class="note">{certificate.proven}</p>
      <p class="note">{certificate.attested}</p>
    </>
  );
};

const Fact = (props: { readonly name: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{props.name}</dt>
    <dd>{props.children}</dd>
  </div>
);
