import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { expect } from 'chai';
import { opsCaller } from '../../cli/ops-client.js';
import { maskedConfig, readConfig } from '../../config.js';
import { startOpsServer, type OpsOptions } from '../../engines/koa/ops-server.js';
import type { RunningServer } from '../../engines/koa/server.js';
import { openLogger } from '../../engines/pino/logger.js';
import { openMetrics } from '../../engines/prometheus/metrics.js';
import { Fault } from '../../kernel/fault.js';

const token = 'token-of-operators-0123456789';

describe("operators' listener", () => {
  let ops: RunningServer;
  const start = async (options: Partial<OpsOptions> = {}): Promise<void> => {
    ops = await startOpsServer({
      host: '127.0.0.1',
      port: 0,
      token: null,
      ready: async () => ({ status: 'ready' }),
      metrics: openMetrics(),
      logger: openLogger({ level: 'silent', secrets: ['x'] }),
      operate: async (command) => ({ command }),
      ...options,
    });
  };
  afterEach(() => ops.close());
  const ask = (
    method: 'GET' | 'POST',
    headers: Readonly<Record<string, string>>,
    hostname = '127.0.0.1',
  ): Promise<number> =>
    new Promise((resolve, reject) => {
      const path = method === 'GET' ? '/metrics' : '/operate/status';
      const json = method === 'POST' ? { 'Content-Type': 'application/json' } : {};
      const options = { hostname, port: ops.port, method, path, agent: false as const };
      request({ ...options, headers: { ...json, ...headers } }, (reply) => {
        resolve(reply.resume().statusCode ?? 0);
      })
        .on('error', reject)
        .end(method === 'POST' ? '{}' : undefined);
    });

  it('reports a failed command, and keeps the cause to the log', async () => {
    const failing = async (): Promise<never> => {
      throw new Error('a defect at /srv/data');
    };
    const why = 'it failed, and the cause is in the log of the service';
    const asked = () =>
      opsCaller(`http://127.0.0.1:${ops.port}`, { opsToken: null })('verify', {}).catch(
        (fault: unknown) => (fault instanceof Fault ? fault.message : fault),
      );
    await start({ operate: failing });
    expect(await asked()).to.equal(why);
    await ops.close();
    await start({
      operate: async () =>
        (async function* lines() {
          yield { at: 1 };
          await failing();
        })(),
    });
    expect(await asked()).to.equal(why);
  });

  it('accepts an address or a name of its machine as Host, and no other name', async () => {
    await start({ host: 'localhost' });
    for (const Host of ['localhost:8081', '127.0.0.1', '[::1]:9', '10.0.0.7:8081', 'LOCALHOST']) {
      expect(await ask('GET', { Host }), Host).to.equal(200);
    }
    for (const Host of [
      'rebound.example',
      'localhost.rebound.example',
      'a b',
      '127.0.0.1.nip.io',
    ]) {
      expect(await ask('GET', { Host }), Host).to.equal(403);
      expect(await ask('POST', { Host }), Host).to.equal(403);
    }
  });

  it('accepts commands without a token from this machine only', async () => {
    await start({ host: '0.0.0.0' });
    expect(await ask('POST', {})).to.equal(200);
    const [outer] = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ family, internal }) => family === 'IPv4' && !internal);
    if (outer === undefined) return;
    expect(await ask('POST', {}, outer.address)).to.equal(403);
    expect(await ask('GET', {}, outer.address)).to.equal(200);
  });

  it('accepts commands with the configured token only', async () => {
    await start({ token });
    const bearing = (text: string) => ask('POST', { Authorization: `Bearer ${text}` });
    expect(await bearing(token)).to.equal(200);
    expect(await bearing(`${token}x`)).to.equal(401);
    expect(await bearing('')).to.equal(401);
    expect(await ask('POST', {})).to.equal(401);
    expect(await ask('GET', {})).to.equal(200);
  });

  it('accepts commands that have the token in their environment', async () => {
    await start({ token });
    const url = `http://127.0.0.1:${ops.port}`;
    const config = readConfig({ ASSAY_OPS_TOKEN: token });
    expect(await opsCaller(url, config)('status', {})).to.deep.equal({ command: 'status' });
    const refusal: unknown = await opsCaller(url, readConfig({}))('status', {}).catch(
      (error: unknown) => error,
    );
    expect(refusal).to.be.instanceOf(Fault);
    expect(String(refusal)).to.include('ASSAY_OPS_TOKEN');
  });

  it('listens on ASSAY_OPS_HOST, whatever the host of the API', async () => {
    await start();
    const config = readConfig({ ASSAY_HOST: '0.0.0.0', ASSAY_OPS_TOKEN: token });
    expect(config.opsHost).to.equal('127.0.0.1');
    expect(JSON.stringify(maskedConfig(config))).not.to.include(token);
    expect(() => readConfig({ ASSAY_OPS_TOKEN: 'short' })).to.throw('ASSAY_OPS_TOKEN');
  });
});
