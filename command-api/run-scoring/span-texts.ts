import type { RecordContent, SpanContent } from '../../events/traces.js';
import { utf8ByteLength } from '../../kernel/code-points.js';
import {
  depthFirst,
  effectiveParents,
  siblingOrder,
  treeLevelsMax,
} from '../../kernel/records/span-tree.js';
import { spansBytesMax, type ScorerSpans } from '../../kernel/sandbox.js';
import type { JsonObject } from '../../kernel/schema-types.js';
import type { ScoredTrace } from './scored-trace.js';

/** Characters serialised per tick of the event loop: some milliseconds. */
const chunkCharacters = 512 * 1_024;

/**
 * Spans of traces as JSON for their scorers (contract 4.11, rule 9). Serialised once per trace, for
 * all its scorers, and cached as long as the trace lives.
 */
export const openSpanTexts = (bytesMax: number = spansBytesMax) => {
  const texts = new WeakMap<ScoredTrace, Promise<ScorerSpans>>();
  return (trace: ScoredTrace): Promise<ScorerSpans> => {
    const text = texts.get(trace) ?? textOf(trace, bytesMax);
    texts.set(trace, text);
    return text;
  };
};

const textOf = async (trace: ScoredTrace, bytesMax: number): Promise<ScorerSpans> => {
  const spans = recordsDepthFirst(trace);
  const json: string[] = [];
  let [piece, bytes, taken] = ['[', 2, 0];
  for (const { content, level } of spans) {
    const text = JSON.stringify({
      ...scorerMembers(content),
      level: Math.min(level, treeLevelsMax),
    });
    bytes += utf8ByteLength(text) + (taken === 0 ? 0 : 1);
    if (bytes > bytesMax) break;
    piece += taken === 0 ? text : `,${text}`;
    taken += 1;
    if (piece.length < chunkCharacters) continue;
    json.push(piece);
    piece = '';
    await new Promise((resolve) => setImmediate(resolve));
  }
  json.push(`${piece}]`);
  const characters = json.reduce((sum, one) => sum + one.length, 0);
  return { json, characters, cut: spans.length - taken };
};

type TreeRecord = { readonly content: RecordContent; readonly level: number };

/** Records depth first, siblings in the order of contract 5.7. */
const recordsDepthFirst = ({ id, records }: ScoredTrace): readonly TreeRecord[] => {
  const spans = [...records.values()].flatMap(({ content }) =>
    content.type === 'trace' ? [] : [content as SpanContent],
  );
  const root = spans.length;
  const parents = effectiveParents(
    id,
    spans.map((span) => ({ id: span.id, parent: span.parent_id })),
  );
  const below = Map.groupBy(parents.keys(), (index) => parents[index]);
  const order = siblingOrder<number>({
    step: (index) => spans[index]?.step_number,
    createdAt: (index) => spans[index]?.created_at,
    ordinal: (index) => index,
  });
  for (const siblings of below.values()) siblings.sort(order);
  return [...depthFirst(root, (index) => below.get(index) ?? [])].flatMap(([index, level]) => {
    const content = spans[index];
    return content === undefined ? [] : [{ content, level }];
  });
};

/** Members of a record that scorers see: all recorded ones except redacted texts. */
const scorerMembers = (content: RecordContent): JsonObject => {
  const { minted: _m, price: _p, redacted_input: _i, redacted_output: _o, ...seen } = content;
  const { parent_id: _parent, ...members } = seen as typeof seen & { parent_id?: string };
  return members.type === 'agent' ? { agent_type: 'default', ...members } : members;
};

/** Members that have no argument of their own in `scorer_fn`. */
export const additionalMembers = (content: RecordContent): JsonObject => {
  const {
    id: _id,
    type: _type,
    name: _name,
    input: _input,
    output: _output,
    ...more
  } = scorerMembers(content);
  return more;
};
