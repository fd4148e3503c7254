import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { eventSchemas, nouns } from '../../events/all.js';
import { decode } from '../../events/codec.js';
import { decodeChecked, schemaErrors } from '../../events/schema-conformance.js';
import { secretEventTypes } from '../../events/secrets.js';
import type { TraceLogged } from '../../events/traces.js';
import { upcasts } from '../../events/upcasts.js';
import { goldenEvents, goldenName } from './event-files.js';

const golden = goldenEvents();
const eventsDir = new URL('../../../events/', import.meta.url);
const compiledDir = new URL('../../events/', import.meta.url);
const machinery = new Set(['all.ts', 'codec.ts', 'noun.ts', 'schemas.ts', 'upcasts.ts']);

const upcastVersions = (type: string): readonly number[] =>
  Object.keys(upcasts).flatMap((key) =>
    key.startsWith(`${type}.`) ? [Number(key.slice(type.length + 1))] : [],
  );

describe('events of every version ever stored', () => {
  for (const { file, type, schema, data } of golden) {
    it(`reads ${file} as today's ${type}`, () =>
      expect(
        schemaErrors(type, decode(type, schema, data)),
      ).to.deep.equal([]));
  }

  it('reads a trace as it was sent as the records that the service made of it', () => {
    const stored = golden.find(({ file }) => file === goldenName('TraceLogged', 2))?.data;
    const traceId = '0d3c1f6a-9a57-4f7b-8f3e-6a1f0f6f2b11';
    const { trace, spans, ...others } = decode('TraceLogged', 2, stored) as TraceLogged;
    expect(Object.keys(others)).to.not.include.members(['sent', 'received_at', 'first_span_id']);
    expect(trace).to.deep.equal({
      type: 'trace',
      id: traceId,
      created_at: '2026-03-01T09:00:00.000000Z',
      input: [{ type: 'text', text: 'Where is my bag? 🧳' }],
      output: 'At the desk.',
      redacted_input: '',
      name: 'turn',
      user_metadata: { cohort: 'a' },
      tags: ['trial-0'],
      status_code: 200,
      metrics: { reward: 0.5, solved: true, tone: 'calm' },
    });
    expect(spans).to.deep.equal([
      {
        type: 'agent',
        id: '5c0d9d8e-1f0a-4a53-9d4b-ffffffffffff',
        created_at: '2026-03-01T09:00:01.000000Z',
        minted: ['id', 'created_at'],
        parent_id: traceId,
      },
      {
        type: 'llm',
        id: '5c0d9d8e-1f0a-4a53-9d4b-000000000000',
        created_at: '2026-03-01T09:00:01.000000Z',
        minted: ['id', 'created_at'],
        input: [{ content: 'Where is my bag?', role: 'user' }],
        output: { content: 'At the desk.', role: 'assistant' },
        tools: [{ type: 'function', function: { name: 'find_bag' } }],
        model: 'm-1',
        temperature: 0.2,
        parent_id: '5c0d9d8e-1f0a-4a53-9d4b-ffffffffffff',
        price: { input: 2.5, output: 10 },
      },
      {
        type: 'retriever',
        id: '5c0d9d8e-1f0a-4a53-9d4b-3f1f6a1f7a20',
        created_at: '2026-03-01T09:00:00.250000Z',
        output: [{ content: 'desk', metadata: { page: 3 } }],
        parent_id: traceId,
      },
    ]);
  });

  it('has a file for each type and version that was ever written (npm run generate)', () => {
    const wanted = Object.entries(eventSchemas).flatMap(([type, { version }]) =>
      [...new Set([version, ...upcastVersions(type)])].map((one) => goldenName(type, one)),
    );
    expect(golden.map(({ file }) => file)).to.deep.equal(wanted.sort());
  });

  it('lists every noun and every type that a file in events/ has', async () => {
    const modules: readonly object[] = await Promise.all(
      readdirSync(eventsDir)
        .filter((file) => file.endsWith('.ts'))
        .map((file) => import(new URL(file.replace(/ts$/, 'js'), compiledDir).href)),
    );
    const exports = modules.flatMap((one) => Object.entries(one) as [string, object][]);
    const found = exports.flatMap(([name, noun]) => (name.endsWith('Noun') ? [noun] : []));
    expect(found).to.have.members(nouns);
    const types = exports.flatMap(([name, map]) =>
      name.endsWith('Events') ? Object.keys(map) : [],
    );
    expect(Object.keys(eventSchemas)).to.include.members(types);
  });

  it('marks members that only the operator sees', () =>
    expect([...secretEventTypes].sort()).to.deep.equal([
      'ApiKeyCreated',
      'IdempotencyClaimed',
      'IdempotencySaltDrawn',
      'IntegrationConfigured',
      'IntegrationSecretsSealed',
      'InvitationIssued',
      'OrgJobRequested',
      'PasswordChanged',
      'RefreshFamilyStarted',
      'RefreshTokenRotated',
      'UserInvited',
    ]));

  it('warns in the first line of each file with a storage format', () => {
    const formats = readdirSync(eventsDir).filter((file) => {
      const text = readFileSync(new URL(file, eventsDir), 'utf8');
      return file.endsWith('.ts') && !machinery.has(file) && /Type\.Object/.test(text);
    });
    const silent = formats.filter(
      (file) =>
        !readFileSync(new URL(file, eventsDir), 'utf8').startsWith('// Stored for ever: names'),
    );
    expect(silent).to.deep.equal([]);
  });

  it('refuses an unknown type, also the name of an inherited member', () => {
    for (const type of ['RatingsExploded', 'constructor', '__proto__']) {
      expect(() => decode(type, 1, {})).to.throw(TypeError, `unknown event type ${type}`);
    }
  });

  it('refuses a future version and a missing one', () => {
    for (const schema of [0, 2, 1.5]) {
      expect(() => decode('NameReleased', schema, {})).to.throw(TypeError, 'is not known');
    }
  });

  it('checks data on request, and names the wrong place', () => {
    const data = { project_id: 'x', trace_id: 'y', spans: [{ type: 'poem' }] };
    expect(decode('SpansLogged', 1, data)).to.equal(data);
    expect(() => decodeChecked('SpansLogged', 1, data)).to.throw(TypeError, 'SpansLogged/');
  });

  it('names the member of an event that violates its schema', () =>
    expect(schemaErrors('ProjectDeleted', { project_id: 'x' }).join()).to.include(
      'ProjectDeleted/project_id',
    ));
});
