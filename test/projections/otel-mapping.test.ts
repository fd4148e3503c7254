import { expect } from 'chai';
import type { OtelSpansReceived } from '../../events/traces.js';
import { otelMapping, type OtelMapping } from '../../kernel/otel/mapping.js';
import { text } from '../../kernel/otel/rule.js';
import type { OtelSpan } from '../../kernel/otel/span.js';
import { temporaryFolder } from '../support/folder.js';
import { otelSpan, otelTraceId } from '../support/otlp.js';
import { append, newEvent, projectorIn, type OpenProjector } from '../support/projector.js';
import {
  instantAt,
  projectId,
  runId,
  spanId,
  traceId,
  traceStream,
} from '../support/random-trace-logs.js';
import { pollUntil } from '../support/poll-until.js';

const received: OtelSpansReceived = {
  project_id: projectId,
  run_id: runId,
  run_kind: 'log_stream',
  trace_id: traceId(1),
  session_id: null,
  otel_trace_id: otelTraceId(1),
  received_at: instantAt(0),
  root: spanId(1, 1),
  parts: [
    {
      spans: [
        {
          id: spanId(1, 1),
          parent_id: traceId(1),
          sent: otelSpan({
            id: 1,
            attributes: {
              'gen_ai.operation.name': 'chat',
              'input.value': 'as the old rule says',
              'brand_new.input': 'as the new rule says',
              'brand_new.count': 3,
            },
          }) as OtelSpan,
        },
      ],
    },
  ],
};

/** Mapping of a later release with a new convention. */
const later: OtelMapping = {
  version: otelMapping.version + 1,
  rules: {
    ...otelMapping.rules,
    input: {
      ...otelMapping.rules.input,
      llm: [
        {
          names: ['brand_new.input'],
          read: (span) => {
            const said = text('brand_new.input').read(span);
            return said === undefined ? undefined : [{ role: 'user', content: said }];
          },
        },
        ...otelMapping.rules.input.llm,
      ],
    },
  },
};

describe('a new version of the mapping of received spans', () => {
  it('shows old traces in the new form, rebuilt from the log', async () => {
    const { dir, remove } = await temporaryFolder();
    const shown = async ({ records }: OpenProjector) => {
      const rows = (await records.rowsByGroup([traceStream(1)])).get(traceStream(1)) ?? [];
      return rows.map(({ values, userMetadata }) => [
        values['input'],
        userMetadata['brand_new.input'],
        userMetadata['brand_new.count'],
      ]);
    };
    const before = await projectorIn({ dir });
    await append(before.log, traceStream(1), 0, newEvent('OtelSpansReceived', received));
    await before.untilCaughtUp();
    expect(await shown(before)).to.deep.equal([
      ['as the old rule says', 'as the new rule says', '3'],
      ['as the old rule says', 'as the new rule says', '3'],
    ]);
    const head = await before.log.head();
    await before.close();

    const after = await projectorIn({ dir, mapping: later });
    await pollUntil(
      'rows of the new mapping',
      10_000,
      async () => (await shown(after))[1]?.[0] === 'as the new rule says',
    );
    expect(await shown(after)).to.deep.equal([
      ['as the new rule says', undefined, '3'],
      ['as the new rule says', undefined, '3'],
    ]);
    expect(await after.log.head()).to.equal(head);
    expect(
      (await after.projector.verify('records')).map(({ difference }) => difference),
    ).to.deep.equal([null]);
    await after.close();
    await remove();
  });
});
