import type { IncomingMessage } from 'node:http';
import type { TSchema } from 'typebox';
import type { Operation, Upload } from '../../contract/operation.js';
import { type Complaint, valueComplaint } from '../../kernel/fault.js';
import { receiveBody, type BodyBudget } from './decode-body.js';
import { mediaTypeEssence } from './http-syntax.js';
import { openJsonScan } from './json-scan.js';
import { type MemberPath, parseJson } from './json-parser.js';
import { openPartsParser, textBytesMax, type UploadedFile, type FormParts } from './multipart.js';

type ParsedForm = {
  /** Text parts in the guard's form: text, lists of text, parsed JSON. */
  readonly value: Readonly<Record<string, unknown>>;
  readonly files: Readonly<Record<string, Upload>>;
  readonly complaints: readonly Complaint[];
  /** Parts that the operation does not declare. */
  readonly undeclaredParts: readonly string[];
  /** Members of JSON parts that a later one of the same name replaced. */
  readonly repeated: readonly MemberPath[];
  /** Equal for equal part names and bytes (contract 1.8, rule 2). */
  readonly fingerprintInput: unknown;
};
export type FormOperation = Pick<Operation, 'body'> & {
  readonly form: NonNullable<Operation['form']>;
};

const fileBytesMax = ({ form }: FormOperation): number =>
  Math.max(0, ...Object.values(form.files).map(({ bytesMax }) => bytesMax));

/** Size limit of the whole body, after decompression (contract 1.11). */
const formBytesMax = (operation: FormOperation): number =>
  Object.values(operation.form.files).reduce((sum, { bytesMax }) => sum + bytesMax, textBytesMax);

/**
 * Reads a multipart form by the rules of contract 4.11, rule 2. Throws Fault `too-large`,
 * `unsupported-media-type`, `malformed`, and what `budget` throws.
 */
export const readForm = async (
  request: IncomingMessage,
  operation: FormOperation,
  budget: BodyBudget,
): Promise<ParsedForm> => {
  const { texts, files } = await receiveParts(request, operation, budget);
  const { properties = {}, required = [] } = operation.body as ObjectSchema;
  const read = Object.entries(properties).map(([part, schema]) => ({
    part,
    ...parseTextPart(part, texts[part], { schema, isOptional: !required.includes(part) }),
  }));
  const complaints = [
    ...fileComplaints(files, texts, operation.form, new Set(Object.keys(properties))),
    ...read.flatMap(({ complaint }) => (complaint === null ? [] : [complaint])),
  ];
  return {
    value: Object.fromEntries(
      read.filter(({ value }) => value !== undefined).map(({ part, value }) => [part, value]),
    ),
    files: Object.fromEntries(
      files
        .filter(({ fieldname }) => Object.hasOwn(operation.form.files, fieldname))
        .map(({ fieldname, originalname: fileName, buffer }) => [
          fieldname,
          { fileName, bytes: buffer },
        ]),
    ),
    complaints,
    repeated: read.flatMap(({ part, repeated }) => repeated.map((path) => [part, ...path])),
    undeclaredParts: [
      ...new Set([...Object.keys(texts), ...files.map(({ fieldname }) => fieldname)]),
    ]
      .filter((part) => !Object.hasOwn(properties, part))
      .filter((part) => !Object.hasOwn(operation.form.files, part)),
    fingerprintInput: [
      texts,
      files.map(({ fieldname, sha256 }) => `${fieldname} ${sha256}`).sort(),
    ],
  };
};

/** Receives the parts; bytes of undeclared files are discarded as they arrive. */
const receiveParts = async (
  request: IncomingMessage,
  operation: FormOperation,
  budget: BodyBudget,
): Promise<FormParts> => {
  const parts = openPartsParser(request.headers['content-type'] ?? '', {
    fileBytesMax: fileBytesMax(operation),
    kept: new Set(Object.keys(operation.form.files)),
  });
  const accepts = {
    bytesMax: formBytesMax(operation),
    isAccepted: (type: string | undefined) => mediaTypeEssence(type) === 'multipart/form-data',
    refusal: 'The body must be multipart/form-data',
  };
  try {
    await receiveBody(request, accepts, budget, (chunk) => parts.write(chunk));
  } catch (error) {
    await parts.end().catch(() => null);
    throw error;
  }
  return parts.end();
};

type ObjectSchema = {
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
};
type PartSchema = { readonly schema: TSchema; readonly isOptional: boolean };
type ParsedText = {
  readonly value: unknown;
  readonly complaint: Complaint | null;
  readonly repeated: readonly MemberPath[];
};

const complaintAt = (part: string, sentence: string): Complaint =>
  valueComplaint(['body', part], sentence);

const fileComplaints = (
  files: readonly UploadedFile[],
  texts: FormParts['texts'],
  form: FormOperation['form'],
  textParts: ReadonlySet<string>,
): readonly Complaint[] => {
  const wrong = new Map<string, Complaint>();
  const seen = new Set<string>();
  for (const { fieldname: part } of files) {
    const isKnown = Object.hasOwn(form.files, part);
    if (!isKnown && (form.otherFiles === 'refused' || textParts.has(part))) {
      wrong.set(part, complaintAt(part, 'takes no file'));
    } else if (isKnown && seen.has(part)) wrong.set(part, complaintAt(part, 'takes one file'));
    seen.add(part);
  }
  const missing = Object.entries(form.files)
    .filter(([part, { required }]) => required && !seen.has(part))
    .map(([part]) => ({ loc: ['body', part], msg: 'Field required', type: 'missing' }));
  for (const [part, { required }] of Object.entries(form.files)) {
    // A text in place of a file would be ignored, against the sender's intent. An empty text stands
    // for no file, as browsers send it.
    const isText = Object.hasOwn(texts, part) && texts[part] !== '';
    if (isText && !required && !seen.has(part)) {
      wrong.set(part, complaintAt(part, 'a file needs a file name in its part'));
    }
  }
  return [...missing, ...wrong.values()];
};

/** Undefined when absent. An unreadable part stays as it was sent, for the guard to report. */
const parseTextPart = (
  part: string,
  sent: unknown,
  { schema, isOptional }: PartSchema,
): ParsedText => {
  const types = typesOf(schema);
  if (types.has('array')) return { ...parseListPart(sent), complaint: null };
  const isTwice = Array.isArray(sent);
  const last: unknown = isTwice ? sent.at(-1) : sent;
  const complaint = isTwice ? complaintAt(part, 'was given more than once') : null;
  if (last === '' && isOptional) return { value: undefined, repeated: [], complaint };
  return { ...(types.has('object') ? parseJsonPart(last) : unparsed(last)), complaint };
};

const typesOf = (schema: TSchema): ReadonlySet<string> => {
  const { type, anyOf = [] } = schema as { type?: string; anyOf?: readonly TSchema[] };
  return new Set([
    ...(type === undefined ? [] : [type]),
    ...anyOf.flatMap((one) => [...typesOf(one)]),
  ]);
};

/** One part with a JSON array, several parts, or one part with a single text. */
const parseListPart = (sent: unknown): ParsedValue => {
  if (typeof sent !== 'string') return unparsed(sent);
  if (sent === '') return unparsed(undefined);
  const read = sent.trimStart().startsWith('[') ? parseJsonPart(sent) : unparsed(sent);
  return Array.isArray(read.value) ? read : unparsed([sent]);
};

type ParsedValue = Omit<ParsedText, 'complaint'>;
const unparsed = (value: unknown): ParsedValue => ({ value, repeated: [] });

/** Nesting limit of JSON bodies (contract 1.11). */
const levelsMax = 32;
const parseJsonPart = (text: unknown): ParsedValue => {
  if (typeof text !== 'string') return unparsed(text);
  const bytes = Buffer.from(text);
  const read = parseJson(bytes, openJsonScan(bytes).upTo(bytes.length), levelsMax);
  return 'value' in read ? { repeated: [], ...read } : unparsed(text);
};
