import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { Type } from 'typebox';
import { operation, readRoute, writeRoute, type Route } from '../../contract/operation.js';
import { parseParts } from '../../engines/koa/multipart.js';
import { Fault } from '../../kernel/fault.js';
import { isIfMatchMet } from '../../kernel/if-match.js';
import { id, nullish, name, oneOf } from '../../kernel/schema-types.js';
import { formRequest, formBytes, formType, type FormPart } from '../support/multipart-forms.js';
import { operationDefaults, smallService, type SmallService } from '../support/small-service.js';

const upload = operation({
  ...operationDefaults,
  operationId: 'upload',
  method: 'POST',
  path: '/v2/uploads',
  kind: 'w',
  form: {
    files: {
      file: { required: true, bytesMax: 1_000 },
      more: { required: false, bytesMax: 1_000 },
    },
    parts: Type.Object({
      thing_id: id('ThingId'),
      count: nullish(Type.Integer({ minimum: 1, maximum: 10 })),
      draft: nullish(Type.Boolean()),
      name: nullish(name()),
      kinds: nullish(Type.Array(oneOf(['oak', 'elm']), { maxItems: 3 })),
      mapping: nullish(Type.Object({ input: Type.String() })),
    }),
  },
  response: Type.Unknown(),
});
const oneFile = operation({
  ...operationDefaults,
  operationId: 'oneFile',
  method: 'POST',
  path: '/v2/one-file',
  kind: 'w',
  form: {
    files: { file: { required: true, bytesMax: 1_000 } },
    parts: Type.Object({}),
    otherFiles: 'refused',
  },
  response: Type.Unknown(),
});
const source = operation({
  ...operationDefaults,
  operationId: 'source',
  method: 'GET',
  path: '/v2/source',
  kind: 'r',
  query: Type.Object({ gone: Type.Optional(Type.Boolean()) }),
  response: Type.String(),
  media: 'text/x-python',
  faults: ['not-found'],
});
const thing = (method: 'GET' | 'PATCH' | 'DELETE', more: object = {}) =>
  operation({
    ...operationDefaults,
    operationId: `${method}Thing`,
    method,
    path: '/v2/thing',
    kind: method === 'GET' ? 'r' : 'w',
    response: Type.Null(),
    conditional: method !== 'GET',
    faults: ['precondition-failed'],
    ...more,
  });

const changed = (ifMatch: Parameters<typeof isIfMatchMet>[0]) => {
  if (!isIfMatchMet(ifMatch, 'two'))
    throw new Fault('precondition-failed', 'It was changed meanwhile');
  return { body: null, etag: 'three' };
};
const routes: readonly Route[] = [
  writeRoute(upload, async ({ body, files, mint }) => ({
    body: {
      ...body,
      id: mint('UploadId'),
      files: Object.entries(files).map(([part, { fileName, bytes }]) => [
        part,
        fileName,
        Buffer.from(bytes).toString('latin1'),
      ]),
    },
  })),
  writeRoute(oneFile, async ({ files }) => ({ body: Object.keys(files) })),
  readRoute(source, [], async ({ query }) => {
    if (query.gone === true) throw new Fault('not-found', 'No source');
    return { body: 'def é():\n' };
  }),
  readRoute(thing('GET'), [], async () => ({ body: null, etag: 'two' })),
  writeRoute(thing('PATCH'), async ({ ifMatch }) => changed(ifMatch)),
  writeRoute(thing('DELETE', { status: 204 }), async ({ ifMatch }) => changed(ifMatch)),
];

const file = (part: string, content: string): FormPart => ({ name: part, content, fileName: 'x' });
const thingId = '7e0b1c2d-3f4a-4b5c-8d6e-7f8091a2b3c4';
const needed: readonly FormPart[] = [
  { name: 'file', content: 'a,b\n\u00fc', fileName: 'path/to/\u00fcber.csv' },
  { name: 'thing_id', content: thingId.toUpperCase() },
];

describe('multipart forms', () => {
  let service: SmallService;
  before(async () => {
    service = await smallService(routes);
  });
  after(() => service.close());

  const send = (parts: readonly FormPart[], headers: Record<string, string> = {}) =>
    service
      .as('editor')
      .send<Record<string, unknown>>('POST', '/v2/uploads', formRequest(parts, headers));
  const complaints = async (parts: readonly FormPart[]) => {
    const { status, body } = await send(parts);
    expect(status).to.equal(422);
    return (body['detail'] as readonly { loc: string[]; type: string; msg: string }[]).map(
      ({ loc, type, msg }) => [loc.join('.'), type, msg],
    );
  };

  it('parses files as bytes and texts as the types of their fields', async () => {
    const { status, body } = await send([
      ...needed,
      { name: 'count', content: '7' },
      { name: 'draft', content: 'false' },
      { name: 'mapping', content: '{"input":"q","more":1}' },
      { name: 'unknown', content: 'x' },
    ]);
    expect(status).to.equal(200);
    const { id: _id, ignored_members: ignored, ...rest } = body;
    expect(ignored).to.deep.equal(['unknown', 'mapping/more']);
    expect(rest).to.deep.equal({
      thing_id: thingId,
      count: 7,
      draft: false,
      mapping: { input: 'q' },
      files: [['file', '\u00fcber.csv', Buffer.from('a,b\n\u00fc').toString('latin1')]],
    });
  });

  it('parses lists from one JSON array, several parts or a single text', async () => {
    const listed = async (...contents: readonly string[]) => {
      const kinds = contents.map((content) => ({ name: 'kinds', content }));
      return (await send([...needed, ...kinds])).body['kinds'];
    };
    expect(await listed('["oak","elm"]')).to.deep.equal(['oak', 'elm']);
    expect(await listed('oak', 'elm')).to.deep.equal(['oak', 'elm']);
    expect(await listed('oak')).to.deep.equal(['oak']);
    expect(await listed('')).to.equal(undefined);
    const bad = await complaints([...needed, { name: 'kinds', content: '["oak",1,"ash"]' }]);
    expect(bad.map(([loc, type]) => [loc, type])).to.deep.equal([
      ['body.kinds.1', 'enum'],
      ['body.kinds.2', 'enum'],
    ]);
  });

  it('treats an empty optional part as absent', async () => {
    const { body } = await send([
      ...needed,
      ...['count', 'draft', 'name', 'mapping'].map((one) => ({ name: one, content: '' })),
    ]);
    expect(Object.keys(body).sort()).to.deep.equal(['files', 'id', 'thing_id']);
  });

  it('lists complaints about the file first, then in the order of the parts', async () => {
    const bad = await complaints([
      { name: 'mapping', content: 'no json' },
      { name: 'draft', content: 'maybe' },
      { name: 'count', content: '1.5' },
      { name: 'file', content: 'text, because it has no file name' },
    ]);
    expect(bad.map(([loc, type]) => [loc, type])).to.deep.equal([
      ['body.file', 'missing'],
      ['body.thing_id', 'missing'],
      ['body.count', 'int_parsing'],
      ['body.draft', 'bool_parsing'],
      ['body.mapping', 'dict_type'],
    ]);
  });

  it('refuses a file part without a file name, which makes it a text', async () => {
    const needs = 'Value error, a file needs a file name in its part';
    const text = (name: string, content = 'a') => ({ name, content });
    expect(await complaints([...needed, text('more')])).to.deep.equal([
      ['body.more', 'value_error', needs],
    ]);
    const both = [...needed, text('more', ''), { ...text('more'), fileName: 'x' }];
    expect((await send(both)).status).to.equal(200);
    expect(await complaints([text('file'), ...needed.slice(1)])).to.deep.equal([
      ['body.file', 'missing', 'Field required'],
    ]);
  });

  it('refuses a second file, a file for a text and a repeated part', async () => {
    const twice = [
      { name: 'count', content: '1' },
      { name: 'count', content: '2' },
    ];
    const more = [file('file', 'x'), file('draft', 'true')];
    expect(await complaints([...needed, ...twice, ...more])).to.deep.equal([
      ['body.file', 'value_error', 'Value error, takes one file'],
      ['body.draft', 'value_error', 'Value error, takes no file'],
      ['body.count', 'value_error', 'Value error, was given more than once'],
    ]);
  });

  it('ignores unknown files, unless the operation takes one file only', async () => {
    const others = [file('other', 'x'), file('other', 'y'), file('__proto__', 'z')];
    const { status, body } = await send([...others, ...needed]);
    expect([status, (body['files'] as readonly unknown[]).length]).to.deep.equal([200, 1]);
    expect((await send([...needed, file('other', 'x'.repeat(1_001))])).status).to.equal(413);
    const key = { 'Idempotency-Key': 'form-with-another-file' };
    const keyed = async (content: string) =>
      (await send([...needed, file('other', content)], key)).status;
    expect([await keyed('x'), await keyed('x'), await keyed('y')]).to.deep.equal([200, 200, 422]);
    const asked = (parts: readonly FormPart[]) =>
      service.as('editor').send('POST', '/v2/one-file', formRequest(parts));
    expect((await asked([file('file', 'x')])).status).to.equal(200);
    const refused = await asked([file('file', 'x'), ...others]);
    expect(refused.body).to.deep.equal({
      detail: ['other', '__proto__'].map((part) => ({
        loc: ['body', part],
        msg: 'Value error, takes no file',
        type: 'value_error',
      })),
    });
  });

  it('keeps no bytes of ignored files', async () => {
    const parts = [file('file', 'kept'), file('other', 'ignored')];
    const { files } = await parseParts(Readable.from([formBytes(parts)]), formType, {
      fileBytesMax: 1_000,
      kept: new Set(['file']),
    });
    expect(files.map(({ buffer }) => buffer.toString())).to.deep.equal(['kept', '']);
  });

  it('limits the file, the number of parts and each text', async () => {
    const sized = (bytes: number) => file('file', 'x'.repeat(bytes));
    const [, thingPart] = needed as readonly [FormPart, FormPart];
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ name: `p${index}`, content: 'x' }));
    const text = (bytes: number) => ({ name: 'x', content: 'x'.repeat(bytes) });
    for (const [status, parts] of [
      [200, [thingPart, sized(1_000)]],
      [413, [thingPart, sized(1_001)]],
      [413, [thingPart, sized(3_000_000)]],
      [200, [...needed, ...many(18)]],
      [413, [...needed, ...many(19)]],
      [200, [...needed, text(65_536)]],
      [413, [...needed, text(65_537)]],
      [413, [...needed, { name: 'n'.repeat(101), content: '' }]],
    ] as const) {
      expect((await send(parts)).status, JSON.stringify(parts).slice(0, 99)).to.equal(status);
    }
  });

  it('accepts gzip, refuses other types, answers 400 if truncated or unbounded', async () => {
    const as = service.as('editor');
    const whole = formBytes(needed);
    const answer = async (body: Buffer | string, headers: Record<string, string>) => {
      const reply = await as.send<Record<string, unknown>>('POST', '/v2/uploads', {
        body,
        headers,
      });
      return reply.body['code'] ?? reply.status;
    };
    const type = { 'Content-Type': formType };
    expect(await answer(gzipSync(whole), { ...type, 'Content-Encoding': 'gzip' })).to.equal(200);
    expect(await answer('', { 'Content-Type': 'text/csv' })).to.equal(422);
    expect(await answer('{}', { 'Content-Type': 'application/json' })).to.equal(
      'unsupported_media_type',
    );
    for (const end of [1, 8, 40, whole.length - 30, whole.length - 5]) {
      expect(await answer(whole.subarray(0, end), type), `${end}`).to.equal('malformed_request');
    }
    const noBoundary = { 'Content-Type': 'multipart/form-data' };
    expect(await answer(whole, noBoundary)).to.equal('malformed_request');
  });

  it('keeps part names away from prototypes', async () => {
    for (const one of ['__proto__', '__proto__[polluted]', 'constructor[prototype][polluted]']) {
      expect((await send([...needed, { name: one, content: 'x' }])).status).to.equal(200);
    }
    expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
    const nested = await complaints([...needed, { name: 'count[a][b]', content: '1' }]);
    expect(nested).to.deep.equal([['body.count', 'int_type', 'Input should be a valid integer']]);
  });

  it('recognises a repeat by part names and bytes, in any order', async () => {
    const key = { 'Idempotency-Key': 'form-1' };
    const first = await send(needed, key);
    const again = await send([...needed].reverse(), key);
    expect(again.body).to.deep.equal(first.body);
    expect(again.headers['idempotency-replayed']).to.equal('true');
    for (const other of [
      [...needed, { name: 'count', content: '1' }],
      [{ name: 'file', content: 'other', fileName: 'x' }, ...needed.slice(1)],
    ]) {
      expect((await send(other, key)).status).to.equal(422);
    }
  });
});

describe('representations', () => {
  let service: SmallService;
  before(async () => {
    service = await smallService(routes);
  });
  after(() => service.close());

  const send = (method: string, headers: Record<string, string> = {}, path = '/v2/thing') =>
    service.as('editor').send<Record<string, unknown>>(method, path, { headers });

  it('are plain text where the operation says so, with problems in JSON', async () => {
    const { headers, body } = await send('GET', {}, '/v2/source');
    expect([headers['content-type'], body]).to.deep.equal([
      'text/x-python; charset=utf-8',
      'def é():\n',
    ]);
    expect((await send('GET', {}, '/v2/source?gone=true')).body['code']).to.equal('not_found');
  });

  it('have strong ETags, and match If-Match with one, several or any', async () => {
    expect((await send('GET')).headers.etag).to.equal('"two"');
    for (const sent of ['"two"', '"one", "two"', '*', '"a,b" ,"two"']) {
      const reply = await send('PATCH', { 'If-Match': sent });
      expect([reply.status, reply.headers.etag], sent).to.deep.equal([200, '"three"']);
    }
    const gone = await send('DELETE', { 'If-Match': '"two"' });
    expect([gone.status, gone.body, gone.headers.etag]).to.deep.equal([204, null, '"three"']);
  });

  it('are 412 for another or a weak ETag, 400 for a malformed one', async () => {
    for (const sent of ['"one"', 'W/"two"', '""']) {
      expect((await send('PATCH', { 'If-Match': sent })).status, sent).to.equal(412);
    }
    for (const sent of ['two', '"two', '"one" "two"', '*, "two"', '']) {
      expect((await send('PATCH', { 'If-Match': sent })).status, sent).to.equal(400);
    }
  });

  it('keep the ETag of the first response in a repeat under one key', async () => {
    const headers = { 'Idempotency-Key': 'tagged-1', 'If-Match': '*' };
    const [first, again] = [await send('PATCH', headers), await send('PATCH', headers)];
    expect(first.headers.etag).to.equal('"three"');
    expect([again.headers.etag, again.headers['idempotency-replayed']]).to.deep.equal([
      '"three"',
      'true',
    ]);
  });
});
