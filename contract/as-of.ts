import { Type } from 'typebox';
import { canonicalInstant } from '../kernel/uuid-and-instant.js';
import { type Complaint, type Fault, validationFault, valueComplaint } from '../kernel/fault.js';
import type { Position } from '../kernel/ports.js';
import type { Instant } from '../kernel/schema-types.js';

/** Query parameter of reads as of a past position (contract 5.14, rule 3). */
export const asOfMember = {
  as_of: Type.Optional(
    Type.String({ description: 'A position, or a date-time: the last event at or before it.' }),
  ),
};

export type AsOf = { readonly position: Position } | { readonly instant: Instant };

const positionForm = /^[0-9a-f]{16}$/;

/** Null for a text that is neither a position nor a date-time. */
export const parseAsOf = (text: string): AsOf | null => {
  if (positionForm.test(text)) return { position: text as Position };
  // An unescaped plus arrives as a blank (contract 1.3).
  const instant = canonicalInstant(text) ?? canonicalInstant(text.replace(/ (?=\d\d:\d\d$)/, '+'));
  return instant && { instant };
};

const complaint = (sentence: string, parameter = 'as_of'): Complaint =>
  valueComplaint(['query', parameter], sentence);

/** Complaints for the `check` of a route. */
export const asOfComplaints = ({ as_of }: { readonly as_of?: string }): readonly Complaint[] =>
  as_of === undefined || parseAsOf(as_of) !== null
    ? []
    : [complaint('neither a position nor a date-time')];

export const beyondHeadFault = (parameter: 'as_of' | 'at'): Fault =>
  validationFault([complaint('that position is after the last event', parameter)]);
