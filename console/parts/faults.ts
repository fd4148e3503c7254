import type { AssayFault } from '../../clients/typescript/src/fault.js';

/** Text for a fault: a sentence, and where it helps, the next step or the id to quote. */
type FaultText = { readonly title: string; readonly detail: string | null };

export const faultText = (fault: AssayFault): FaultText => {
  const { code, message } = fault;
  if (code === 'not_found') {
    return { title: 'Not found, or not shared with you', detail: null };
  }
  if (code === 'unreachable' || code === 'timeout') {
    return { title: 'The service does not answer', detail: unreachableText };
  }
  if (code === 'internal_error') {
    return { title: 'The service failed', detail: `Request ${fault.requestId ?? 'unknown'}` };
  }
  return { title: message, detail: null };
};

const unreachableText =
  'What is shown stays readable. A change can be made again: it is done once.';

/** The complaint about a member of the body, by its name; null when there is none. */
export const fieldFault = (fault: AssayFault | null, member: string): string | null =>
  fault?.complaints
    .find(({ loc }) => loc.includes(member))
    ?.msg.replace(/^Value error, (.)/, (_all, first: string) => first.toUpperCase()) ?? null;
