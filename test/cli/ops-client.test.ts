import { expect } from 'chai';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { opsCaller, opsStreamCaller } from '../../cli/ops-client.js';
import { Fault } from '../../kernel/fault.js';

describe('the operations client of commands', () => {
  let server: Server;
  let url: string;
  let answer: (response: ServerResponse) => void;
  const asked = (withinMs?: number): Promise<unknown> =>
    opsCaller(
      url,
      { opsToken: null },
      withinMs,
    )('verify', {}).catch((fault: unknown) => (fault instanceof Fault ? fault.message : fault));
  beforeEach(async () => {
    answer = (response) => response.end('[]');
    server = createServer((_request, response) => answer(response));
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  it('tells a timeout from a closed port', async () => {
    answer = () => undefined;
    expect(await asked(50)).to.equal(
      `${url} has not answered within 0.05 s; it may be at it still`,
    );
  });

  it('names what answers if it is not the operators’ listener', async () => {
    answer = (response) => response.end('<html>');
    expect(await asked()).to.contain('(200) is not an operators');
    answer = (response) => response.writeHead(404).end('{"detail":"Not Found"}');
    expect(await asked()).to.contain('not at the port of the API');
    answer = (response) => response.socket?.destroy();
    expect(await asked()).to.equal(`${url} gave no answer: ECONNRESET`);
  });

  it('streams progress lines, and returns the last one or throws its error', async () => {
    const told: unknown[] = [];
    const ask = () =>
      opsStreamCaller(url, { opsToken: null })('rebuild', {}, (line) => told.push(line));
    const lines =
      (...pieces: readonly string[]) =>
      (response: ServerResponse) => {
        response.writeHead(200, { 'Content-Type': 'application/x-ndjson; charset=utf-8' });
        for (const piece of pieces) response.write(piece);
        response.end();
      };
    answer = lines('{"at":1}\n{"a', 't":2}', '\n{"done":true}\n');
    expect(await ask()).to.deep.equal({ done: true });
    expect(told).to.deep.equal([{ at: 1 }, { at: 2 }]);
    answer = lines('{"at":1}\n', '{"detail":"The disk is full"}\n');
    const failed = await ask().catch((fault: unknown) => fault);
    expect(failed).to.be.instanceOf(Fault).with.property('message', 'The disk is full');
  });

  it('throws the error of the service, or that the port is closed', async () => {
    answer = (response) => response.writeHead(503).end('{"detail":"ask that one"}');
    expect(await asked()).to.equal('ask that one');
    server.close();
    server.closeAllConnections();
    expect(await asked()).to.equal(`no operators' listener answers at ${url}`);
  });
});
