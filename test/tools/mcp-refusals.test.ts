import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { temporaryFolder } from '../support/folder.js';
import { startMcp, type McpProcess } from '../support/mcp-client.js';
import { bareEnvironment, program } from '../support/test-environment.js';
import { startService, type ServiceProcess } from '../support/service-process.js';

const reading = /^(list|search|read|aggregate|experiment|compare)_/;

describe('assay mcp in error cases', function () {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let service: ServiceProcess;
  let mcp: McpProcess;

  before(async () => {
    folder = await temporaryFolder();
    service = await startService({ dir: folder.dir });
    await service.client.call('POST', '/v2/projects', { body: { name: 'airline' } });
    mcp = await startMcp(['--url', `${service.url}/`], service.apiKey);
  });
  after(async () => {
    await mcp.close();
    await service.kill();
    await folder.remove();
  });
  const refused = async (of: McpProcess, tool: string, args = {}): Promise<string> => {
    const { isError, text } = await of.call(tool, args);
    expect(isError, text).to.equal(true);
    return text;
  };
  const search = (args: object): Promise<string> =>
    refused(mcp, 'search_traces', { project: 'airline', ...args });

  it('refuses writes without --write, with the reason', async () => {
    expect(mcp.tools.filter(({ name }) => !reading.test(name))).to.deep.equal([]);
    expect(mcp.tools.every(({ annotations }) => annotations?.readOnlyHint === true)).to.equal(true);
    expect(await refused(mcp, 'create_log_stream', { project: 'airline', name: 'x' })).to.equal(
      'create_log_stream writes, and assay mcp was started without --write',
    );
    expect(await refused(mcp, 'drop_everything')).to.equal(
      'drop_everything is not a tool of this server',
    );
    const streams = await mcp.call('list_log_streams', { project: 'airline' });
    expect(streams.text).to.not.contain('"x"');
  });

  it('names unknown arguments and the known ones', async () => {
    expect(await search({ limitt: 3 })).to.match(
      /^not valid: limitt: .*, did you mean `limit`\?; search_traces takes project, where,/,
    );
    expect(await search({ limit: 0 })).to.match(/limit: .* greater than or equal to 1/);
    expect(await search({ max_chars: 10 })).to.match(/max_chars: .* greater than or equal to 4000/);
    expect(await refused(mcp, 'search_traces')).to.match(/project: Field required/);
    expect(await search({ where: [{ column: 'nonsense', value: 1 }] })).to.equal(
      'not valid: where.0 (column "nonsense"): unknown column \'nonsense\'. list_columns says ' +
        'what there is',
    );
    expect(await search({ where: [{ column: 'name', operator: 'like', value: 'x' }] })).to.match(
      /where\.0 \(column "name"\) operator: Input should be 'eq', 'ne', 'contains'/,
    );
    expect(await search({ filter_tree: { andd: [] } })).to.match(/filter_tree/);
    expect(await search({ log_stream: 'a', experiment: 'b' })).to.match(/not both/);
    expect(await search({ log_stream: 'nowhere' })).to.equal(
      'no log stream that this key can see is named "nowhere": it can see none',
    );
    expect(await refused(mcp, 'list_log_streams', { project: 'airlines' })).to.equal(
      'no project that this key can see is named "airlines": it can see "airline"',
    );
    expect(
      await refused(mcp, 'read_trace', {
        project: 'airline',
        trace_id: '60c67a87-024d-48e3-9dcf-ae5652800741',
      }),
    ).to.match(/not found: the list_ and search_ tools say what there is/);
  });

  it('reports a refused key and missing rights', async () => {
    const stranger = await startMcp(['--url', service.url], 'no-key-of-anybody-0123456789abcdef');
    expect(await refused(stranger, 'list_projects')).to.match(
      /^the service does not take the key: .* by ASSAY_API_KEY or --key$/,
    );
    await stranger.close();
    const { body: projects } = await service.client.call<readonly { readonly id: string }[]>(
      'GET',
      '/v2/projects',
    );
    const { body } = await service.client.call<{ readonly api_key: string }>(
      'POST',
      '/v2/users/api_keys',
      {
        body: { description: 'looks', project_id: projects[0]?.id, project_role: 'viewer' },
      },
    );
    const args = ['--url', service.url, '--project', 'airline', '--write'];
    const viewer = await startMcp(args, body.api_key);
    expect((await viewer.call('list_log_streams')).isError).to.equal(false);
    expect(await refused(viewer, 'create_log_stream', { name: 'x' })).to.match(
      /^the key may not do this: .*editor/,
    );
    await viewer.close();
  });

  it('hides its key, even where a trace contains it', async () => {
    const args = ['--url', service.url, '--project', 'airline', '--write', '--key'];
    const careless = await startMcp([...args, service.apiKey], null);
    const trace = { input: `my key is ${service.apiKey}`, output: 'noted' };
    expect((await careless.call('log_trace', trace)).isError).to.equal(false);
    const found = await careless.call('search_traces');
    expect(found.text).to.contain('my key is [key]');
    expect(JSON.stringify(found)).to.not.contain(service.apiKey);
    const unknown = await refused(careless, 'list_log_streams', { project: service.apiKey });
    expect(unknown).to.match(/is named "\[key\]"/);
    expect(careless.stderr()).to.not.contain(service.apiKey);
    await careless.close();
  });

  it('refuses to start without a key or with a malformed address or key', () => {
    const ended = (...args: readonly string[]) => {
      const env = bareEnvironment();
      const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'mcp', ...args], {
        encoding: 'utf8',
        env,
        input: '',
      });
      return { status, stdout, stderr };
    };
    const began = ended();
    expect(began).to.include({ status: 1, stdout: '' });
    expect(began.stderr).to.match(/set ASSAY_API_KEY, or give --key/);
    expect(ended('--key', 'two words').stderr).to.match(/has characters that no key has/);
    expect(ended('--key', 'two words').stderr).to.not.contain('two words');
    expect(ended('--key', 'k', '--url', 'localhost:1').stderr).to.match(/http:\/\/localhost:8080/);
    expect(ended('--key', 'k', '--url', 'http://a:b@localhost').stderr).to.match(/no credentials/);
    expect(ended('--help').stdout).to.match(/"mcpServers"/);
  });

  it('leaves stdout to the protocol, and ends with stdin', async () => {
    const child = spawn(process.execPath, [program, 'mcp', '--url', service.url], {
      env: { ...bareEnvironment(), ASSAY_API_KEY: service.apiKey },
    });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      },
    };
    child.stdin.write(`this is no JSON\n${JSON.stringify(initialize)}\n`);
    await once(child.stdout, 'data');
    child.stdin.end();
    const [code] = (await once(child, 'close')) as [number | null];
    expect(code).to.equal(0);
    const lines = out.trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { readonly id: number }).id)).to.deep.equal([
      1,
    ]);
  });

  it('cancels the request to the service when the call is cancelled', async () => {
    const { promise: request, resolve: asked } = Promise.withResolvers<IncomingMessage>();
    // Takes every question and answers none.
    const silent = createServer((incoming) => asked(incoming)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const waiting = await startMcp(['--url', url], service.apiKey);
    const cancel = new AbortController();
    const call = waiting.call('list_projects', {}, cancel.signal).then(
      () => 'answered',
      () => 'cancelled',
    );
    const { socket } = await request;
    const gone = once(socket, 'close');
    cancel.abort();
    expect(await call).to.equal('cancelled');
    await gone;
    expect(waiting.stderr()).to.not.match(/failed|Error/);
    await waiting.close();
    silent.close();
    // Less than the client's own end of a question, which would close the connection too.
  }).timeout(20_000);

  it('reports a server that is not Assay or is down, until it is back', async () => {
    const other = createServer((_incoming, answer) => answer.end('<html>')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const lost = await startMcp(['--url', url], service.apiKey);
    expect(await refused(lost, 'list_projects')).to.match(/is not Assay: 200, not JSON/);
    await lost.close();
    other.close();
    const port = new URL(service.url).port;
    await service.stop();
    expect(await refused(mcp, 'list_projects')).to.match(
      /^the service at http:\/\/127\.0\.0\.1:\d+ cannot be reached \(.*ECONNREFUSED/,
    );
    service = await startService({ dir: folder.dir, env: { ASSAY_PORT: port } });
    expect((await mcp.call('list_projects')).isError).to.equal(false);
  });
});
