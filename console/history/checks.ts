import { parseCheckpoint } from '../../ledger/chain/checkpoint.js';
import { openBundleCheck, type BundleCheck } from './bundle-check.js';
import { openCertificateCheck, type CertificateCheck } from './certificate-check.js';
import { checkContinuity, checkProof, type ProofAnswer } from './proof-check.js';
import { checkSealSignature, fails, type VerifySignature } from './seal-signature.js';

type BundleStart = {
  readonly checkpoint: string;
  readonly isWhole: boolean;
  readonly kept: string | null;
};

/** Methods of the worker of the history, by name. Inputs and answers are plain values. */
export const historyChecks = (verify: VerifySignature) => {
  let bundle: BundleCheck | null = null;
  let certificate: CertificateCheck = openCertificateCheck();
  const sealOf = async ({ note, vkeys }: { note: string; vkeys: readonly string[] }) => {
    const seal = parseCheckpoint(note);
    if (seal === null) return fails('the seal cannot be read');
    return checkSealSignature(seal, { vkeys, verify });
  };
  return {
    proof: ({ answer, vkeys }: { answer: ProofAnswer; vkeys: readonly string[] }) =>
      checkProof(answer, { vkeys, verify }),
    continuity: checkContinuity,
    seal: sealOf,
    begin: (start: BundleStart) => {
      bundle = openBundleCheck(start);
    },
    /** The first complaint about these lines, and the counts so far. */
    add: (lines: readonly string[]) => {
      if (bundle === null) throw new Error('The check has not begun');
      for (const line of lines) {
        const complaint = bundle.add(line);
        if (complaint !== null) return { complaint, ...bundle.counts() };
      }
      return { complaint: null, ...bundle.counts() };
    },
    end: () => ({ complaint: bundle?.end() ?? null }),
    beginCertificate: () => {
      certificate = openCertificateCheck();
    },
    /** The first complaint about these lines, and the number of entries so far. */
    addToCertificate: (lines: readonly string[]) => {
      const complaints = lines.map((line) => certificate.add(line));
      return { complaint: complaints.at(-1) ?? null, entries: certificate.entries() };
    },
    endCertificate: ({ vkeys }: { vkeys: readonly string[] }) => certificate.end({ vkeys, verify }),
  };
};

export type HistoryChecks = ReturnType<typeof historyChecks>;
