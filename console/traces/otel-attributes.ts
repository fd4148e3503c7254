import type { FilterTree, FilterTreeLeaf } from '../language/filter-tree.js';
import { ownMember } from '../../kernel/own-member.js';

/** Records that have the value of an attribute, as a filter of the explorer. */
type AttributeFilter = { readonly kind: 'spans' | 'traces'; readonly tree: FilterTree };

/** Attributes that the service stores as a member of the record (contract 5.12). */
const columnOf: Readonly<Record<string, string>> = {
  'gen_ai.request.model': 'model',
  'gen_ai.response.model': 'model',
  'llm.model_name': 'model',
  'ai.model.id': 'model',
  'ai.response.model': 'model',
  'gen_ai.tool.call.id': 'tool_call_id',
  'tool_call.id': 'tool_call_id',
  'ai.toolCall.id': 'tool_call_id',
  'http.response.status_code': 'status_code',
  'http.status_code': 'status_code',
  'splunk_ao.status_code': 'status_code',
  'user.id': 'user_metadata/user_id',
};
/** Longer values are cut in the record, and in the address. */
const valueMax = 1_000;

/**
 * The filter for an attribute of OTLP, `{key, value}`; null where no column of records has it.
 * `record`: the members of the record that it was sent for.
 */
export const attributeFilter = (
  attribute: object,
  record: {
    readonly model?: unknown;
    readonly tool_call_id?: unknown;
    readonly status_code?: unknown;
    readonly user_metadata: Readonly<Record<string, string>>;
  },
): AttributeFilter | null => {
  const { key, value } = attribute as { readonly key?: unknown; readonly value?: unknown };
  const text = scalarText(value);
  if (typeof key !== 'string' || text === null || text.length > valueMax) return null;
  const column = ownMember(columnOf, key) ?? `user_metadata/${key}`;
  if (memberText(record, column) !== text) return null;
  // Traces keep the name of the service of a resource, and nothing else.
  const kind = key === 'service.name' ? 'traces' : 'spans';
  return { kind, tree: { filter: leafOf(column, text) } };
};

type FilteredRecord = Parameters<typeof attributeFilter>[1];

const memberText = (record: FilteredRecord, column: string): string | null => {
  const isMetadata = column.startsWith('user_metadata/');
  const members = isMetadata ? record.user_metadata : (record as Readonly<Record<string, unknown>>);
  const value = members[isMetadata ? column.slice('user_metadata/'.length) : column];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
};

const leafOf = (name: string, text: string): FilterTreeLeaf =>
  name === 'status_code'
    ? { type: 'number', name, operator: 'eq', value: Number(text) }
    : { type: 'text', name, operator: 'eq', value: text };

/** Text of a value as user metadata has it; null for lists, maps and bytes. */
const scalarText = (value: unknown): string | null => {
  if (typeof value !== 'object' || value === null) return null;
  const { stringValue, intValue, doubleValue, boolValue } = value as Readonly<
    Record<string, unknown>
  >;
  if (typeof stringValue === 'string') return stringValue;
  const scalar = intValue ?? doubleValue ?? boolValue;
  return typeof scalar === 'string' || typeof scalar === 'number' || typeof scalar === 'boolean'
    ? String(scalar)
    : null;
};
