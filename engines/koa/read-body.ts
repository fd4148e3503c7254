import type { IncomingMessage } from 'node:http';
import type { Operation, Upload } from '../../contract/operation.js';
import type { Complaint } from '../../kernel/fault.js';
import { readBody, type BodyBudget } from './decode-body.js';
import { readForm, type FormOperation } from './form-body.js';
import type { ParsedBody } from './json-parser.js';
import type { CompiledRoute } from './compiled-routes.js';

type ReceivedBody = {
  readonly body: ParsedBody;
  readonly files: Readonly<Record<string, Upload>>;
  /** About files, and parts given twice. */
  readonly complaints: readonly Complaint[];
  /** Parts of a form that its operation does not name. */
  readonly undeclaredParts: readonly string[];
  /** Equal for a repeat (contract 1.8, rule 2). */
  readonly fingerprintInput: unknown;
};

/** The body of a request once it is here, as its operation reads bodies; `{}` where it has none. */
export const readRequestBody = async (
  { operation, ...bound }: CompiledRoute,
  message: IncomingMessage,
  coming: BodyBudget,
): Promise<ReceivedBody> => {
  if (bound.body === null) return receivedBody({ value: {} });
  if (!isFormOperation(operation)) {
    return receivedBody(
      await readBody(message, { ...operation, messages: bound.messages }, coming),
    );
  }
  const { value, repeated, ...form } = await readForm(message, operation, coming);
  return { body: { value, repeated }, ...form };
};

const receivedBody = (body: ParsedBody): ReceivedBody => ({
  body,
  files: {},
  complaints: [],
  undeclaredParts: [],
  fingerprintInput: 'value' in body ? body.value : null,
});

const isFormOperation = (operation: Operation): operation is Operation & FormOperation =>
  operation.form !== null;
