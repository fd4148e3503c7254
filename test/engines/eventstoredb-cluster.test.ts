import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { openEventStore } from '../../engines/eventstoredb/event-log.js';
import type { EventLog } from '../../kernel/ports.js';
import { appendOne } from '../suites/event-log.js';
import {
  startEventStoreServer,
  type EventStoreServer,
} from '../support/eventstore-server/server.js';
import { temporaryFolder } from '../support/folder.js';
import { appendOf, newEvent, newStream } from '../support/new-events.js';
import { describeWithTool, openssl } from '../support/required-tools.js';
import { pollUntil } from '../support/poll-until.js';

const patience = { answerMs: 2_000, callMs: 6_000, lookMs: 500, restMs: 20 };

describe('EventStoreDB behind a connection string', function () {
  let dir: string;
  let remove: () => Promise<void>;
  let servers: EventStoreServer[];
  let logs: EventLog[];
  const start = async (
    options: Partial<Parameters<typeof startEventStoreServer>[0]> = {},
  ): Promise<EventStoreServer> => {
    const server = await startEventStoreServer({ dir, ...options });
    servers.push(server);
    return server;
  };
  const open = async (url: string): Promise<EventLog> => {
    const log = await openEventStore({ url, patience });
    logs.push(log);
    return log;
  };
  beforeEach(async () => {
    ({ dir, remove } = await temporaryFolder());
    servers = [];
    logs = [];
  });
  afterEach(async () => {
    await Promise.all(logs.map((log) => log.close()));
    for (const server of servers) await server.close();
    await remove();
  });
  const works = async (log: EventLog): Promise<void> => {
    const stream = newStream();
    await appendOne(log, appendOf(stream, 'none', newEvent('here')));
    expect(await log.read(stream)).to.have.length(1);
  };
  const refusal = (log: EventLog): Promise<unknown> =>
    log.read(newStream()).then(
      () => null,
      (reason: unknown) => reason,
    );

  describeWithTool(openssl, 'with TLS and a name', () => {
    const credentials = { username: 'assay', password: 'p%ss wörd' };
    const named = `assay:${encodeURIComponent(credentials.password)}`;
    const secured = async (): Promise<{ port: number; authority: string }> => {
      const [key, authority] = [join(dir, 'key.pem'), join(dir, 'certificate.pem')];
      const asked = 'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost';
      const names = '-addext subjectAltName=DNS:localhost,IP:127.0.0.1';
      const files = ['-keyout', key, '-out', authority];
      execFileSync('openssl', [...`${asked} ${names}`.split(' '), ...files], { stdio: 'ignore' });
      const tls = { key: readFileSync(key), certificate: readFileSync(authority) };
      const { port } = await start({ tls, credentials });
      return { port, authority };
    };

    it('connects with the right password and a trusted certificate', async () => {
      const { port, authority } = await secured();
      await works(await open(`esdb://${named}@localhost:${port}?tlsCAFile=${authority}`));
    });

    it('logs why it cannot connect, and never the password', async () => {
      const { port, authority } = await secured();
      const urls = [
        `esdb://assay:other@localhost:${port}?tlsCAFile=${authority}`,
        `esdb://localhost:${port}?tlsCAFile=${authority}`,
        `esdb://${named}@localhost:${port}`,
        `esdb://${named}@localhost:${port}?tls=false`,
      ];
      for (const url of urls) {
        const log = await open(url);
        const error = await refusal(log);
        expect(error).to.include({ code: 'unavailable', message: 'The log cannot be reached now' });
        const { writable, cause } = log.health();
        expect(writable).to.equal(false);
        expect(cause).not.to.match(/other|wörd|p%/);
      }
    });
  });

  describe('of a cluster', () => {
    it('asks the named nodes for the leader', async () => {
      const leader = await start();
      const follower = await start({
        dir: join(dir, 'follower'),
        members: () => [leader.port, follower.port],
      });
      const gone = 1;
      const seeds = `127.0.0.1:${gone},127.0.0.1:${follower.port}`;
      const options = 'tls=false&gossipTimeout=1&discoveryInterval=50';
      await works(await open(`esdb://${seeds}?${options}`));
      await works(await open(`esdb+discover://127.0.0.1:${follower.port}?${options}`));
      expect(leader.counts).to.deep.equal({ append: 0, batchAppend: 2 });
      expect(follower.counts).to.deep.equal({ append: 0, batchAppend: 0 });
    });

    it('is unavailable, without ending the process, while no node responds', async () => {
      const log = await open(
        'esdb://127.0.0.1:1,127.0.0.1:2?tls=false&maxDiscoverAttempts=2&discoveryInterval=10',
      );
      const errors = await Promise.all(Array.from({ length: 5 }, () => refusal(log)));
      for (const error of errors) expect(error).to.include({ code: 'unavailable' });
    });

    it('retries a write at the new leader', async () => {
      const leader = await start({ dir: join(dir, 'new leader') });
      const old = await start();
      const log = await open(`esdb://127.0.0.1:${old.port}?tls=false`);
      const notLeader = { kind: 'not-leader', host: '127.0.0.1', port: leader.port } as const;
      const stream = newStream();
      old.faults.plan('append', notLeader, 100);
      old.faults.plan('read', notLeader, 100);
      await appendOne(log, appendOf(stream, 'none', newEvent('led')));
      expect(await log.read(stream)).to.have.length(1);
      expect(leader.store.read(`assay.${stream}`)).to.have.length(1);
      expect(old.store.read(`assay.${stream}`)).to.equal(null);
    });

    it('is unavailable during an election and recovers after it', async () => {
      const server = await start();
      const log = await open(server.url);
      server.faults.plan('append', { kind: 'unavailable' }, 1_000);
      const append = appendOf(newStream(), 'none', newEvent());
      const error = await appendOne(log, append).catch((reason: unknown) => reason);
      expect(error).to.include({ code: 'unavailable' });
      server.faults.clear();
      await pollUntil('the append is taken', 5_000, () =>
        appendOne(log, append).then(
          () => true,
          () => false,
        ),
      );
      expect(await log.read(append.stream)).to.have.length(1);
    });
  });

  it('rejects a malformed connection string before it sends anything', async () => {
    for (const url of ['', 'localhost:2113', 'http://localhost:2113', 'esdb://']) {
      const error = await open(url).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(Error);
    }
  });
});
