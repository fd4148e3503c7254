import { truncateLongTexts } from '../../contract/long-texts.js';
import { complaintsAboutTraces } from '../../contract/record-rules.js';
import { createSession, logTraces } from '../../contract/ingest.js';
import type { SentTrace } from '../../kernel/records/sent-record.js';
import type { Operation } from '../../contract/operation.js';
import { compileGuard, type Guard } from '../../engines/ajv/compile.js';
import type { Complaint } from '../../kernel/fault.js';
import { messageAt } from '../api-client.js';
import { splitTrace } from './trace-splitting.js';
import { isList, isObject, type ImportRecord } from './records.js';

const bodyGuard = ({ body }: Pick<Operation, 'body'>): Guard =>
  body === null ? (value) => ({ ok: true, value }) : compileGuard(body, 'body');
const traceGuard = bodyGuard(logTraces);
const sessionGuard = bodyGuard(createSession);

/**
 * Dry-run validation: the error that the service would report for the form of a record, by its own
 * schemas; null if valid. Conflicts with recorded data are not detected.
 */
export const validationProblem = (record: ImportRecord): string | null => {
  switch (record.kind) {
    case 'otlp':
      return otlpIdProblem(record.resourceSpans);
    case 'session': {
      const guarded = sessionGuard(record.session);
      return guarded.ok ? null : complaintText(guarded.complaints);
    }
    case 'trace': {
      const { trace, request } = record;
      // Done by the service before validation (contract 5.6, rule 9).
      truncateLongTexts(trace, []);
      const guarded = traceGuard({ ...request, traces: [trace] });
      if (!guarded.ok) return complaintText(guarded.complaints);
      const parts = splitTrace(trace, JSON.stringify(trace).length);
      const sent = (parts?.trace ?? trace) as unknown as SentTrace;
      const complaints = complaintsAboutTraces([sent]);
      return complaints.length > 0 ? complaintText(complaints) : null;
    }
  }
};

const complaintText = (complaints: readonly Complaint[]): string => {
  const [first] = complaints;
  const more = complaints.length > 1 ? `; and ${complaints.length - 1} more` : '';
  return first === undefined ? 'it is not valid' : `${messageAt(first.loc, first.msg)}${more}`;
};

/** Hex forms of ids, by member; base64 is not OTLP's JSON. */
const idForms: readonly (readonly [readonly string[], RegExp])[] = [
  [['traceId', 'trace_id'], /^[0-9a-f]{32}$/i],
  [['spanId', 'span_id'], /^[0-9a-f]{16}$/i],
];

const otlpIdProblem = (resource: ImportedResource): string | null => {
  const scopes = isList(resource['scopeSpans']) ? resource['scopeSpans'] : [];
  for (const scope of scopes.filter(isObject)) {
    for (const span of isList(scope['spans']) ? scope['spans'] : []) {
      if (!isObject(span)) return 'a span must be an object';
      for (const [names, form] of idForms) {
        const id = names.map((name) => span[name]).find((one) => one !== undefined);
        if (typeof id !== 'string' || !form.test(id)) return `a span has no ${names[0]} in hex`;
      }
    }
  }
  return null;
};
type ImportedResource = Extract<ImportRecord, { kind: 'otlp' }>['resourceSpans'];
