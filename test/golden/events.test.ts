import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { eventSchemas } from '../../events/all.js';
import { decode } from '../../events/codec.js';
import { decodeChecked, schemaErrors } from '../../events/schema-conformance.js';
import { secretEventTypes } from '../../events/secrets.js';
import { goldenEvents, goldenName } from './event-files.js';

const golden = goldenEvents();
const eventsDir = new URL('../../../events/', import.meta.url);
const compiledDir = new URL('../../events/', import.meta.url);
const machinery = new Set(['all.ts', 'codec.ts', 'schemas.ts', 'upcasts.ts']);

describe('events of every version ever stored', () => {
  for (const { file, type, schema, data } of golden) {
    it(`reads ${file} as today's ${type}`, () =>
      expect(schemaErrors(type, decode(type, schema, data))).to.deep.equal([]));
  }

  it('has a file for each type and version that was ever written (npm run golden:add)', () => {
    const wanted = Object.entries(eventSchemas).flatMap(([type, { version }]) =>
      Array.from({ length: version }, (_, index) => goldenName(type, index + 1)),
    );
    expect(golden.map(({ file }) => file)).to.deep.equal(wanted.sort());
  });

  it('lists every type that a file in events/ has', async () => {
    const maps = await Promise.all(
      readdirSync(eventsDir)
        .filter((file) => file.endsWith('.ts') && !machinery.has(file))
        .map((file) => import(new URL(file.replace(/ts$/, 'js'), compiledDir).href)),
    );
    const named = (maps as object[]).flatMap((exports) =>
      Object.entries(exports).flatMap(([name, map]) =>
        name.endsWith('Events') ? Object.keys(map as object) : [],
      ),
    );
    expect(named.sort()).to.deep.equal(Object.keys(eventSchemas).sort());
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
