import { expect } from 'chai';
import { Assay, type LoggerOptions, type Loss } from '../../../clients/typescript/src/node.js';
import {
  refusal,
  scriptedServer,
  type Received,
  type Scripted,
} from '../../support/scripted-server.js';
import { pollUntil } from '../../support/poll-until.js';

const project = '11111111-1111-4111-8111-111111111111';
const taken: Scripted = { status: 200, body: {} };
type Sent = { readonly name: string; readonly input?: string; readonly spans?: readonly Sent[] };
const sentIn = (received: readonly Received[]): readonly Sent[] =>
  received.flatMap(({ body }) => (JSON.parse(body) as { traces?: Sent[] }).traces ?? []);

/** A logger of a server that answers so; the program goes on whatever happens. */
const loggingTo = async (
  script: Parameters<typeof scriptedServer>[0],
  options: LoggerOptions = {},
) => {
  const server = await scriptedServer(script);
  const losses: Loss[] = [];
  const assay = new Assay({
    url: server.url,
    apiKey: 'a-key',
    project,
    logger: { intervalMs: 5, exitMs: 100, onLoss: (loss) => losses.push(loss), ...options },
  });
  return {
    assay,
    losses,
    server,
    close: async () => {
      await assay.close();
      await server.close();
    },
  };
};

describe('the logger of the TypeScript client', () => {
  it('returns what the functions return, and throws what they throw', async () => {
    const { assay, close } = await loggingTo([taken]);
    const error = new Error('mine');
    const fail = (): never => {
      throw error;
    };
    expect(assay.trace('sync', () => 5)).to.equal(5);
    const promise = Promise.resolve(6);
    expect(assay.trace('async', () => promise)).to.equal(promise);
    expect(await assay.span('alone', async () => 7)).to.equal(7);
    expect(() => assay.trace('fails', fail)).to.throw(error);
    expect(await assay.trace('rejects', async () => fail()).catch((e: unknown) => e)).to.equal(
      error,
    );
    let asked = 0;
    const lazy = {
      // oxlint-disable-next-line unicorn/no-thenable
      then: (resolve: (value: number) => void) => {
        asked += 1;
        resolve(8);
      },
    };
    expect(await assay.trace('lazy', () => lazy)).to.equal(8);
    expect(asked).to.equal(1);
    await close();
  });

  it('nests spans by what runs within what, also side by side', async () => {
    const { assay, server, close } = await loggingTo([taken]);
    const step = async (name: string, further: () => Promise<unknown> = async () => null) => {
      await Promise.resolve();
      return assay.span(name, further);
    };
    await Promise.all(
      ['a', 'b', 'c'].map((name) =>
        assay.trace(name, async () => {
          await Promise.all([
            step(`${name}1`, () => step(`${name}11`)),
            step(`${name}2`, () => step(`${name}21`, () => step(`${name}211`))),
          ]);
        }),
      ),
    );
    await assay.flush();
    const shape = ({ name, spans }: Sent): string =>
      spans === undefined ? name : `${name}(${spans.map(shape).sort().join()})`;
    expect(sentIn(server.received).map(shape).sort()).to.deep.equal([
      'a(a1(a11),a2(a21(a211)))',
      'b(b1(b11),b2(b21(b211)))',
      'c(c1(c11),c2(c21(c211)))',
    ]);
    await close();
  });

  it('resends under one key what was not accepted', async () => {
    const script = [null, refusal(503, 'unavailable'), refusal(429, 'too_many_requests'), taken];
    const { assay, server, losses, close } = await loggingTo(script);
    assay.trace('one', () => 1);
    expect(await assay.flush()).to.equal(true);
    expect(server.received.length).to.equal(4);
    const keys = server.received.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).to.equal(1);
    expect(new Set(server.received.map(({ body }) => body)).size).to.equal(1);
    expect(assay.logged()).to.include({ sent: 1, lost: 0, waiting: 0, waitingBytes: 0 });
    expect(losses).to.deep.equal([]);
    await close();
  });

  it('keeps within its limit while the service is down, and warns once of losses', async () => {
    const bytesMax = 20_000;
    const { assay, losses, close } = await loggingTo([null], { bytesMax });
    for (let i = 0; i < 1_000; i += 1) {
      assay.trace(`t${i}`, () => assay.span('s', () => 'x'.repeat(100)));
      expect(assay.logged().waitingBytes).to.be.at.most(bytesMax);
      if (i % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const { waiting, lost, sent } = assay.logged();
    expect([waiting + lost, sent]).to.deep.equal([2_000, 0]);
    expect(waiting).to.be.greaterThan(20);
    expect(losses.map(({ reason }) => reason)).to.deep.equal(['full']);
    await close();
  });

  it('resumes when the service is back, and warns again of the next loss', async () => {
    let isAway = true;
    const options = { bytesMax: 2_000 };
    const { assay, losses, close } = await loggingTo(() => (isAway ? null : taken), options);
    const much = (): void => {
      for (let i = 0; i < 50; i += 1) assay.trace('t', () => 'x'.repeat(100));
    };
    much();
    expect(losses.length).to.equal(1);
    isAway = false;
    expect(await assay.flush()).to.equal(false);
    expect(assay.logged().sent).to.be.greaterThan(2);
    expect(losses.length).to.equal(1);
    isAway = true;
    much();
    expect(losses.length).to.equal(2);
    const { sent, lost, waiting } = assay.logged();
    expect(sent + lost + waiting).to.equal(100);
    await close();
  });

  it('loses refused records only', async () => {
    const script = ({ body }: Received): Scripted =>
      body.includes('poison') ? refusal(422, 'invalid') : taken;
    const { assay, server, losses, close } = await loggingTo(script);
    for (let i = 0; i < 40; i += 1) {
      assay.trace(`t${i}`, () => (i === 7 || i === 30 ? 'poison' : 'fine'));
    }
    expect(await assay.flush()).to.equal(false);
    expect(assay.logged()).to.include({ sent: 38, lost: 2, waiting: 0, waitingBytes: 0 });
    expect(losses[0]?.reason).to.equal('refused');
    expect(losses[0]?.error).to.include({ status: 422 });
    expect(server.received.length).to.be.lessThan(40);
    await close();
  });

  it('tries once if logging is forbidden, and survives a hook that throws', async () => {
    for (const [status, code] of [
      [401, 'invalid_credentials'],
      [403, 'forbidden'],
    ] as const) {
      const { assay, server, close } = await loggingTo([refusal(status, code)], {
        onLoss: () => {
          throw new Error('from the hook');
        },
      });
      for (let i = 0; i < 40; i += 1) assay.trace('t', () => i);
      expect(await assay.flush()).to.equal(false);
      expect(assay.logged()).to.include({ sent: 0, lost: 40, waiting: 0, waitingBytes: 0 });
      expect(server.received.length).to.equal(1);
      await close();
    }
  });

  it('loses records of no project, and says why', async () => {
    const losses: Loss[] = [];
    const assay = new Assay({
      url: 'http://127.0.0.1:9',
      logger: { onLoss: (l) => losses.push(l) },
    });
    expect(assay.trace('t', () => assay.span('s', () => 3))).to.equal(3);
    expect(assay.logged()).to.include({ sent: 0, lost: 2, waiting: 0, waitingBytes: 0 });
    expect(losses[0]?.error?.message).to.contain('project');
    await assay.close();
  });

  it('does not block the program while the service is slow', async () => {
    const { assay, close } = await loggingTo(['never'], { timeoutMs: 100, bytesMax: 50_000 });
    const begun = performance.now();
    for (let i = 0; i < 500; i += 1) await assay.trace('t', async () => 'x'.repeat(200));
    expect(performance.now() - begun).to.be.lessThan(20_000);
    expect(assay.logged().waitingBytes).to.be.at.most(50_000);
    const before = performance.now();
    expect(await assay.flush(200)).to.equal(false);
    expect(performance.now() - before).to.be.within(190, 20_000);
    await close();
  });

  it('converts any value into what the contract accepts', async () => {
    const { assay, server, close } = await loggingTo([taken]);
    const circle: Record<string, unknown> = {};
    circle['circle'] = circle;
    const hostile = {
      get length(): number {
        throw new Error('look away');
      },
      toJSON: () => {
        throw new Error('look away');
      },
    };
    for (const odd of [circle, 10n, Symbol('s'), () => 1, hostile, Number.NaN, '\ud800', new Map()])
      assay.trace('odd', { input: odd, metadata: { odd }, metrics: { odd } }, (step) => {
        step.span(
          'in',
          { type: 'llm', input: odd, tools: [circle], temperature: Number.NaN },
          () => odd,
        );
        step.set(null as never);
        step.set({ tags: [odd as string] });
      });
    expect(await assay.flush()).to.equal(true);
    expect(assay.logged().lost).to.equal(0);
    expect(sentIn(server.received).length).to.equal(8);
    await close();
  });

  it('splits batches by the limits of the service, also a large trace', async () => {
    const { assay, server, close } = await loggingTo([taken]);
    await assay.trace('large', async () => {
      for (let i = 0; i < 2_500; i += 1) await assay.span('s', async () => 'x'.repeat(500));
    });
    expect(await assay.flush()).to.equal(true);
    const bodies = server.received.map(({ body }) => JSON.parse(body) as Record<string, unknown[]>);
    expect(Math.max(...server.received.map(({ body }) => body.length))).to.be.lessThan(400_000);
    const spans = bodies.flatMap(({ spans }) => spans ?? []);
    expect(spans.length).to.equal(2_500);
    expect(bodies[0]?.['is_complete']).to.equal(false);
    const last = server.received.at(-1);
    expect([last?.method, last?.body]).to.deep.equal(['PATCH', '{"is_complete":true}']);
    await close();
  });

  it('sends a span that ends after its trace, and a trace by itself after a while', async () => {
    const { assay, server, close } = await loggingTo([taken]);
    const { promise, resolve: finish } = Promise.withResolvers<void>();
    const late = assay.trace('t', () => ({ span: assay.span('late', () => promise) }));
    await pollUntil('the trace is sent', 5_000, async () => server.received.length > 0);
    finish();
    await late.span;
    await assay.flush();
    const last = server.received.at(-1);
    expect(last?.path).to.equal(`/v2/projects/${project}/spans`);
    expect(assay.logged()).to.include({ sent: 2, waiting: 0, waitingBytes: 0 });
    await close();
  });

  it('loses only the refused span of a large trace, and all of a refused trace', async () => {
    const script =
      (name: string) =>
      (request: Received): Scripted =>
        request.path.endsWith(name) && request.body.includes('poison')
          ? refusal(422, 'invalid')
          : taken;
    const large = (assay: Assay): void =>
      assay.trace('large', { input: 'poison' }, (step) => {
        for (let i = 0; i < 1_500; i += 1) step.span('s', () => (i === 700 ? 'poison' : 'fine'));
      });
    const one = await loggingTo(script('/spans'));
    large(one.assay);
    expect(await one.assay.flush()).to.equal(false);
    expect(one.assay.logged()).to.include({ sent: 1_500, lost: 1, waiting: 0, waitingBytes: 0 });
    await one.close();
    const all = await loggingTo(script('/traces'));
    large(all.assay);
    expect(await all.assay.flush()).to.equal(false);
    expect(all.assay.logged()).to.include({ sent: 0, lost: 1_501, waiting: 0, waitingBytes: 0 });
    expect(all.server.received.length).to.equal(1);
    await all.close();
  });

  it('counts records after close as lost, and holds none of their memory', async () => {
    const { assay, server, losses, close } = await loggingTo([taken]);
    expect(await assay.close()).to.equal(true);
    expect(assay.trace('t', () => assay.span('s', () => 4))).to.equal(4);
    expect(assay.logged()).to.include({ sent: 0, lost: 2, waiting: 0, waitingBytes: 0 });
    expect(losses.map(({ reason }) => reason)).to.deep.equal(['left']);
    expect(server.received.length).to.equal(0);
    await close();
  });

  it('releases a trace that never ends', async () => {
    const { assay, server, close } = await loggingTo([taken]);
    for (let i = 0; i < 10_003; i += 1)
      void assay.trace(`t${i}`, () => new Promise(() => undefined));
    await assay.flush();
    expect(sentIn(server.received).map(({ name }) => name)).to.deep.equal(['t0', 't1', 't2']);
    await close();
  });

  it('moves up the children of a dropped span, and counts all', async () => {
    const { assay, server, close } = await loggingTo([taken], { bytesMax: 1_500 });
    assay.trace('root', (root) => {
      const big = root.span('big', { input: 'x'.repeat(2_000) }, (step) => {
        step.span('before', () => 1);
        return step;
      });
      big.span('after', { input: 'y' }, () => 2);
    });
    expect(await assay.flush()).to.equal(false);
    const [root] = sentIn(server.received);
    expect(root?.spans?.map(({ name }) => name)).to.deep.equal(['before', 'after']);
    expect(assay.logged()).to.include({ sent: 3, lost: 1, waiting: 0, waitingBytes: 0 });
    await close();
  });

  it('truncates a text that is too long for a record at a character boundary', async () => {
    const { assay, server, close } = await loggingTo([taken], { intervalMs: 1 });
    assay.trace('long', { input: '€'.repeat(400_000) }, () => 1);
    await assay.flush();
    const [{ input = '' } = { input: '' }] = sentIn(server.received);
    expect(Buffer.byteLength(input)).to.be.within(1_048_500, 1_048_576);
    expect(input).to.match(/^€+… \(cut\)$/);
    await close();
  });
});
