import { expect } from 'chai';
import { seededRandom } from '../../kernel/seeded-random.js';
import { rangeUpTo, scrub } from '../../ledger/seals/scrub.js';
import { newestSeal } from '../../ledger/seals/seal-streams.js';
import { digestOf, sha256 } from '../../engines/node/digest.js';
import type { HistorySealed } from '../../events/seals.js';
import { Fault } from '../../kernel/fault.js';
import { base64, checkpointText, noteText, chainOrigin } from '../../ledger/chain/checkpoint.js';
import { systemChain, type ChainName } from '../../ledger/chain/entries.js';
import { merkleRoot } from '../../ledger/chain/merkle-tree.js';
import { streamNameOf } from '../../kernel/ports.js';
import { declaredChain } from '../../ledger/fold/chain-membership.js';
import { historyVerification } from '../../ledger/reads/verification.js';
import { below, oneOf } from '../fuzz/valid-request.js';
import { temporaryFolder } from '../support/folder.js';
import { testClock } from '../support/test-log.js';
import { openLogFile, tamperings, type LogRow, type LogRows } from '../support/log-tampering.js';
import { fixedChains } from '../support/reference-chains.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';
import {
  installation,
  openSealedLog,
  sealSigningKey,
  type SealedLog,
} from '../support/sealed-log.js';
import { ours, projects, theirs, sampleEventAt, traceOf } from '../support/sample-history.js';

const chainNames: readonly ChainName[] = [ours, theirs, systemChain];
const gone = streamNameOf('trace', projects[0] ?? '', traceOf(3));
const goneByItself = streamNameOf('idempotency-answer', 'x');

/** Three histories with seals, an erasure that is named and one that needs no name, and a tail. */
const tell = async (log: SealedLog): Promise<void> => {
  await log.publishKey();
  await log.append(Array.from({ length: 60 }, (_, at) => sampleEventAt(at)));
  const fact = { streams: [gone] };
  await log.append([
    { stream: streamNameOf('erasure', 'x'), type: 'StreamsErased', data: fact, organization: ours },
    { stream: goneByItself, type: 'AnswerKept', data: { body: 'x' }, organization: ours },
  ]);
  await log.log.erase(gone);
  await log.log.erase(goneByItself);
  await log.fold();
  for (const chain of chainNames) await log.seal(chain);
  await log.append(Array.from({ length: 30 }, (_, at) => sampleEventAt(60 + at)));
  await log.fold();
};

/** Findings of verify only: why content is gone. */
const ofGoneContent = new Set(['content gone', 'erasure forged', 'marked as erased']);

describe('a log whose disk was tampered with', function () {
  this.timeout(3_600_000);
  const clock = testClock();
  const { signal } = new AbortController();
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let log: SealedLog;
  let file: ReturnType<typeof openLogFile>;
  let pristine: LogRows;
  before(async () => {
    folder = await temporaryFolder();
    log = await openSealedLog(folder.dir);
    await tell(log);
    file = openLogFile(folder.dir);
    pristine = file.rows();
  });
  afterEach(() => file.put(pristine));
  after(async () => {
    file.close();
    await log.close();
    await folder.remove();
  });

  /** Why the histories are broken, those that are. */
  const verified = async (chains: SealedLog['chains'] = log.chains): Promise<readonly string[]> => {
    const ask = historyVerification({ log: log.log, chains, clock, sha256 });
    const found: string[] = [];
    for (const chain of chainNames) {
      try {
        const { broken_at: broken } = await ask(chain, { from: 1, to: null }, signal);
        if (broken !== null) found.push(broken.reason);
      } catch (error) {
        // A checksum or an index of the log contradicts the event: the log itself refuses it.
        if (!(error instanceof Fault) || error.code !== 'log-damaged') throw error;
        found.push(error.code);
      }
    }
    return found;
  };
  /** Findings of the scrub before the next seals, in events since the last ones. */
  const scrubbed = async (): Promise<readonly string[]> => {
    const needs = {
      log: log.log,
      chains: log.chains,
      clock,
      sha256,
      chainOf: declaredChain,
      onScrubbed: () => undefined,
      onMismatch: () => undefined,
    };
    try {
      const unsealed = [];
      for (const chain of chainNames) {
        const head = await log.chains.head(chain);
        if (head !== null) unsealed.push({ head, seal: await newestSeal(needs, chain) });
      }
      const found = await scrub(needs, unsealed, signal);
      return [...found.values()].flatMap((one) => ('root' in one ? [] : [one.contradiction]));
    } catch (error) {
      // The log was cut off.
      return [error instanceof Fault ? error.message : 'a seal is none'];
    }
  };

  it('is detected by verify, and at its end by the scrub too, whatever was changed', async () => {
    const seed = drawSeed('touches of the embedded log');
    const rng = seededRandom(seed).next;
    const end = 1 + pristine.events.findLastIndex(({ type }) => type === 'HistorySealed');
    const counts = new Map<string, number>();
    const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);
    for (let draw = 0; draw < runs(150); draw += 1) {
      const name = oneOf(rng, Object.keys(tamperings));
      const at = below(rng, pristine.events.length);
      const touched = tamperings[name]?.(pristine, at, rng) ?? null;
      if (touched === null) continue;
      file.put(touched);
      const label = `ASSAY_TEST_SEED=${seed} draw ${draw}: ${name} at ${at}`;
      expect(await verified(), label).to.not.deep.equal([]);
      count(name);
      if (at >= end && name !== 'mark taken away' && !ofGoneContent.has(name)) {
        expect(await scrubbed(), label).to.not.deep.equal([]);
        count('(by the scrub too)');
      }
      file.put(pristine);
      if (draw % 20 !== 0) continue;
      expect([...(await verified()), ...(await scrubbed())], label).to.deep.equal([]);
      count('(untouched)');
    }
    const told = [...counts].map(([name, times]) => `${name} ${times}`);
    process.stdout.write(`    ${told.join(', ')}\n`);
  });

  /** The row with other content, whose hashes fit. */
  const rewritten = (row: LogRow, data: string): LogRow => ({
    ...row,
    data,
    digest: digestOf(row.salt, data),
  });
  const forged = (at: number): LogRows => ({
    ...pristine,
    events: pristine.events.map((row, index) =>
      index === at ? rewritten(row, '{"forged":true}') : row,
    ),
  });
  const isSealed = ({ type, data }: LogRow): boolean =>
    data !== '' && (type === 'TraceLogged' || type === 'ApiKeyCreated');

  it('contradicts its seals when all is rewritten, hashes and read models', async () => {
    const end = pristine.events.findIndex(({ type }) => type === 'HistorySealed');
    for (let at = 0; at < end; at += 1) {
      const row = pristine.events[at];
      if (row === undefined || !isSealed(row)) continue;
      file.put(forged(at));
      expect(await verified(await fixedChains(log.log)), String(at)).to.deep.equal(['seal']);
    }
  });

  it('contradicts one stored checkpoint when the seals are rewritten too', async () => {
    const at = pristine.events.findIndex(isSealed);
    const kept = await rangeUpTo(log.chains, ours, 20);
    file.put(forged(at));
    const sealedAnew = async (row: LogRow): Promise<LogRow> => {
      const sealed = JSON.parse(row.data) as HistorySealed;
      const { chain, size } = sealed;
      // Of each seal the beginning is final by then: seals are written anew from the first on.
      const chains = await fixedChains(log.log);
      const root = merkleRoot(sha256, await rangeUpTo(chains, chain, size));
      const [last] = await chains.entries(chain, size, size);
      const origin = chainOrigin(installation, chain);
      const text = checkpointText({ origin, size, root });
      const note = noteText({ text, signatures: [sealSigningKey.sign(origin, text)] });
      const anew = { ...sealed, root: base64(root), head_hash: last?.hash, note };
      return rewritten(row, JSON.stringify(anew));
    };
    for (const [index, { type }] of pristine.events.entries()) {
      if (type !== 'HistorySealed') continue;
      const { events, erased } = file.rows();
      const row = events[index];
      if (row === undefined) throw new RangeError(`no event at ${index}`);
      const by = await sealedAnew(row);
      file.put({ erased, events: events.map((one, each) => (each === index ? by : one)) });
    }
    const chains = await fixedChains(log.log);
    expect(await verified(chains)).to.deep.equal([]);
    const anew = await rangeUpTo(chains, ours, 20);
    expect(base64(merkleRoot(sha256, anew))).to.not.equal(base64(merkleRoot(sha256, kept)));
  });
});
