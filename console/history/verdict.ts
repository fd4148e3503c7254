import type { ProofSteps } from './proof-check.js';

/** Outcome of a proof: that of its steps together, in a sentence. */
type ProofVerdict = {
  readonly outcome: 'holds' | 'fails' | 'unchecked';
  readonly text: string;
};

const failures = {
  content: 'its content is not what was recorded',
  fields: 'one of its fields is not what was recorded',
  path: 'it is not among the entries of the seal',
  signature: 'the seal is not signed with the key',
} as const;

/**
 * The verdict in a sentence. `sealed` is the end of "Unchanged since it was sealed": when, and by
 * which key.
 */
export const proofVerdict = (steps: ProofSteps, sealed: string): ProofVerdict => {
  const names = ['content', 'fields', 'path', 'signature'] as const;
  const failed = names.filter((name) => steps[name].outcome === 'fails');
  if (failed.length > 0) {
    const reasons = failed.map((name) => failures[name]).join(', ');
    return { outcome: 'fails', text: `Not proven: ${reasons}.` };
  }
  if (steps.signature.outcome === 'unchecked') {
    const text = 'Part of the history under its seal. The signature of the seal was not checked.';
    return { outcome: 'unchecked', text };
  }
  const text = `Unchanged since it was sealed${sealed}.`;
  if (steps.content.outcome === 'holds') return { outcome: 'holds', text };
  return { outcome: 'holds', text: `${text} Its content cannot be shown: see below.` };
};
