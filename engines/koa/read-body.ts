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
  /** Complaints about files, and about repeated parts. */
  readonly complaints: readonly Complaint[];
  /** Parts of a form that its operation does not declare. */
  readonly undeclaredParts: readonly string[];
  /** Equal for a repeated request (contract 1.8, rule 2). */
  readonly fingerprintInput: unknown;
};

/** Reads the body of a request in its operation's format; `{}` when it has none. */
export const readRequestBody = async (
  { operation, ...compiledRoute }: CompiledRoute,
  message: IncomingMessage,
  budget: BodyBudget,
): Promise<ReceivedBody> => {
  if (compiledRoute.body === null) return receivedBody({ value: {} });
  if (!isFormOperation(operation)) {
    return receivedBody(
      await readBody(message, { ...operation, messages: compiledRoute.messages }, budget),
    );
  }
  const { value, repeated, ...form } = await readForm(message, operation, budget);
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
