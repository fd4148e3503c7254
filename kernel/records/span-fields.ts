import { externalIdMax } from './limits.js';
import type { SpanKind } from './record.js';

/** Type of a field: a text, or a JSON number. */
type FieldType = 'text' | 'integer' | 'number';
type PlainField = {
  readonly type: FieldType;
  /** Label and description in the catalogue of columns (contract 3.3). */
  readonly label: string;
  readonly column: string;
  /** Description in the interface. */
  readonly description: string;
};
type RecordField = PlainField & {
  /** Sessions have it, too. */
  readonly ofSessions: boolean;
  /** Member `optional` of the catalogue. */
  readonly isOptional: boolean;
  /** Length of a text, 1 to so many characters; absent: that of long texts. */
  readonly charactersMax?: number;
};
type SpanField = PlainField & {
  /** The one kind of span that has it. */
  readonly kind: SpanKind;
  /** Value when none was sent, which is not stored; absent: none. */
  readonly unsent?: string;
  readonly allowed?: readonly string[];
};

export const agentTypes = [
  'react',
  'supervisor',
  'classifier',
  'planner',
  'judge',
  'reflection',
  'router',
  'default',
] as const;

/**
 * Plain fields of traces and of all spans (contract 5.6), in the order of the catalogue. Contract,
 * events, content, columns and reads of records follow from this table and the next.
 */
export const recordFields = {
  external_id: {
    type: 'text',
    label: 'External ID',
    column: 'Identifier given by the client.',
    description: 'Id given by the sender; null: none.',
    ofSessions: true,
    isOptional: true,
    charactersMax: externalIdMax,
  },
  status_code: {
    type: 'integer',
    label: 'Status Code',
    column: 'Outcome as an HTTP-like code.',
    description: 'Outcome as an HTTP-like code; null: unknown.',
    ofSessions: false,
    isOptional: true,
  },
  dataset_input: {
    type: 'text',
    label: 'Dataset Input',
    column: 'Input of the dataset row behind the step.',
    description: 'Input of the dataset row behind the step; null: none.',
    ofSessions: false,
    isOptional: false,
  },
  dataset_output: {
    type: 'text',
    label: 'Dataset Output',
    column: 'Reference output of that row.',
    description: 'Reference output of the dataset row; null: none.',
    ofSessions: false,
    isOptional: false,
  },
} as const satisfies Readonly<Record<string, RecordField>>;

/**
 * Plain fields of spans of one kind (contract 5.6), in the order of a record as read: a field is a
 * line here.
 */
export const spanFields = {
  model: {
    kind: 'llm',
    type: 'text',
    label: 'Model',
    column: 'Name of the model.',
    description: 'Name of the model; null: unknown.',
  },
  temperature: {
    kind: 'llm',
    type: 'number',
    label: 'Temperature',
    column: 'Sampling temperature.',
    description: 'Sampling temperature; null: unknown.',
  },
  finish_reason: {
    kind: 'llm',
    type: 'text',
    label: 'Finish Reason',
    column: 'Why generation stopped.',
    description: 'Reason why generation stopped, for example `stop`; null: unknown.',
  },
  tool_call_id: {
    kind: 'tool',
    type: 'text',
    label: 'Tool Call ID',
    column: 'The call that the tool answered.',
    description: 'Id of the tool call that is answered; null: none.',
  },
  agent_type: {
    kind: 'agent',
    type: 'text',
    label: 'Agent Type',
    column: 'Kind of agent.',
    description: 'Kind of agent; null: of other spans, or not given.',
    unsent: 'default',
    allowed: agentTypes,
  },
  control_id: {
    kind: 'control',
    type: 'integer',
    label: 'Control ID',
    column: 'Number of the control.',
    description: 'Number of the control; null: none.',
  },
  agent_name: {
    kind: 'control',
    type: 'text',
    label: 'Agent Name',
    column: 'Agent that the control guards.',
    description: 'Agent that the control guards; null: none.',
  },
  check_stage: {
    kind: 'control',
    type: 'text',
    label: 'Check Stage',
    column: 'Before or after the step.',
    description: 'Whether the control runs before (`pre`) or after (`post`) the step.',
    allowed: ['pre', 'post'],
  },
  applies_to: {
    kind: 'control',
    type: 'text',
    label: 'Applies To',
    column: 'Kind of call that is checked.',
    description: 'Kind of call that the control checks; null: unknown.',
    allowed: ['tool_call', 'llm_call'],
  },
  evaluator_name: {
    kind: 'control',
    type: 'text',
    label: 'Evaluator Name',
    column: 'Evaluator behind the control.',
    description: 'Evaluator behind the control; null: unknown.',
  },
  selector_path: {
    kind: 'control',
    type: 'text',
    label: 'Selector Path',
    column: 'Part of the step that is checked.',
    description: 'Part of the step that the control checks; null: unknown.',
  },
} as const satisfies Readonly<Record<string, SpanField>>;

type RecordFields = typeof recordFields;
export type RecordFieldName = keyof RecordFields;
type SpanFields = typeof spanFields;
export type SpanFieldName = keyof SpanFields;
/** A value by the type of its field. */
type ValueOf<T extends FieldType> = T extends 'text' ? string : number;
export type RecordFieldValues = {
  readonly [name in RecordFieldName]: ValueOf<RecordFields[name]['type']>;
};
/** Fields of a span, those of other kinds absent. */
export type SpanFieldValues = {
  readonly [name in SpanFieldName]?: ValueOf<SpanFields[name]['type']>;
};

export const recordFieldNames = Object.keys(recordFields) as readonly RecordFieldName[];
export const spanFieldNames = Object.keys(spanFields) as readonly SpanFieldName[];

export const recordFieldOf = (name: RecordFieldName): RecordField => recordFields[name];
/** The field's entry, with the members that not every field has. */
export const spanFieldOf = (name: SpanFieldName): SpanField => spanFields[name];

const namesOf = (kind: SpanKind): readonly SpanFieldName[] =>
  spanFieldNames.filter((name) => spanFields[name].kind === kind);

/** Names of the fields of a kind, in the order of the table. */
export const spanFieldNamesOf: Readonly<Record<SpanKind, readonly SpanFieldName[]>> = {
  llm: namesOf('llm'),
  retriever: namesOf('retriever'),
  tool: namesOf('tool'),
  workflow: namesOf('workflow'),
  agent: namesOf('agent'),
  control: namesOf('control'),
};

const mapFields = <N extends string, F, T>(
  fields: Readonly<Record<N, F>>,
  make: (field: F) => T,
): Readonly<Record<N, T>> =>
  Object.fromEntries(
    Object.entries<F>(fields).map(([name, field]) => [name, make(field)]),
  ) as Record<N, T>;

/** An object with a member for each field, made of its entry. */
export const mapRecordFields = <T>(make: (field: RecordField) => T) =>
  mapFields<RecordFieldName, RecordField, T>(recordFields, make);
export const mapSpanFields = <T>(make: (field: SpanField) => T) =>
  mapFields<SpanFieldName, SpanField, T>(spanFields, make);

/** Value of each field when none was sent; undefined: none. */
export const unsentSpanFields = mapSpanFields(({ unsent }) => unsent);
