import type { IncomingMessage } from 'node:http';
import type { Operation, Upload } from '../../contract/operation.js';
import type { Complaint } from '../../kernel/fault.js';
import { readBody, type Coming } from './body.js';
import { readForm, type FormOperation } from './form.js';
import type { Parsed } from './json.js';
import type { Bound } from './table.js';

export type Arrived = {
  readonly body: Parsed;
  readonly files: Readonly<Record<string, Upload>>;
  /** About files, and parts given twice. */
  readonly complaints: readonly Complaint[];
  /** Parts of a form that its operation does not name. */
  readonly undeclared: readonly string[];
  /** Equal for a repeat (contract 1.8, rule 2). */
  readonly print: unknown;
};

/** The body of a request once it is here, as its operation reads bodies; `{}` where it has none. */
export const arrived = async (
  { operation, ...bound }: Bound,
  message: IncomingMessage,
  coming: Coming,
): Promise<Arrived> => {
  if (bound.body === null) return arrivedAs({ value: {} });
  if (!isForm(operation)) {
    return arrivedAs(await readBody(message, { ...operation, messages: bound.messages }, coming));
  }
  const { value, repeated, ...form } = await readForm(message, operation, coming);
  return { body: { value, repeated }, ...form };
};

const arrivedAs = (body: Parsed): Arrived => ({
  body,
  files: {},
  complaints: [],
  undeclared: [],
  print: 'value' in body ? body.value : null,
});

const isForm = (operation: Operation): operation is Operation & FormOperation =>
  operation.form !== null;
