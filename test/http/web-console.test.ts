import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { request, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { readConfig } from '../../config.js';
import { sharedApp, startApp, type App } from '../support/app.js';
import { clientOf } from '../support/client.js';
import { temporaryFolder } from '../support/folder.js';
import { rawSockets } from '../support/raw-sockets.js';
import { smallService, type SmallService } from '../support/small-service.js';

const script = `console.log('${'x'.repeat(200_000)}');`;
const style = 'main { color: red }';
const page = `<!doctype html>
<link rel="stylesheet" href="assets/main-89ABCDEF.css">
<script type="module" src="assets/main-01234567.js"></script>
<a href="https://example.org/assets/">assets/</a>`;
const secret = 'not of the console';

type Answer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
};

describe('the browser console', () => {
  let service: SmallService;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  /** `web/` in the temporary folder. */
  let web: string;

  const build = async (): Promise<void> => {
    const assets = join(web, 'assets');
    await mkdir(assets, { recursive: true });
    await writeFile(join(web, 'index.html'), page);
    await writeFile(join(assets, 'main-01234567.js'), script);
    await writeFile(join(assets, 'main-01234567.js.br'), brotliCompressSync(script));
    await writeFile(join(assets, 'main-01234567.js.gz'), gzipSync(script));
    await writeFile(join(assets, 'main-89ABCDEF.css'), style);
    await writeFile(join(assets, 'notes.txt'), secret);
    await writeFile(join(web, 'other-01234567.js'), secret);
    await writeFile(join(folder.dir, 'secret-01234567.js'), secret);
    await symlink(join(folder.dir, 'secret-01234567.js'), join(assets, 'linked-01234567.js'));
  };
  const ask = async (
    method: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> => {
    const outgoing = request({ port: service.port, method, path, headers, agent: false });
    outgoing.end();
    const [incoming] = await once(outgoing, 'response');
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    return {
      status: incoming.statusCode,
      headers: incoming.headers,
      bytes: Buffer.concat(chunks),
    };
  };
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    ask('GET', path, headers);

  beforeEach(async () => {
    folder = await temporaryFolder();
    web = join(folder.dir, 'web');
    service = await smallService([], {
      consoleDir: pathToFileURL(`${web}/`),
      load: { requests: { size: 0 } },
    });
  });
  afterEach(async () => {
    await service.close();
    await folder.remove();
  });

  it('is served without a credential and while every concurrency slot is taken', async () => {
    await build();
    expect((await get('/v2/projects')).status).to.equal(404);
    const { status, headers, bytes } = await get('/console/');
    expect([status, bytes.toString()]).to.deep.equal([200, page]);
    expect(headers['content-type']).to.equal('text/html; charset=utf-8');
  });

  it('sends the headers of a page that runs only its own scripts', async () => {
    await build();
    for (const path of ['/console', '/console/', '/console/assets/main-89ABCDEF.css']) {
      const { headers } = await get(path);
      expect(headers).to.include({
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
          "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; " +
          "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types assay",
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
      });
      expect(headers).not.to.have.any.keys('access-control-allow-origin', 'set-cookie');
    }
  });

  it('redirects relatively, so that a proxy may serve it below any path', async () => {
    const { status, headers } = await get('/console');
    expect([status, headers.location]).to.deep.equal([302, 'console/']);
  });

  it('answers the page for each path, with links relative to the depth of the path', async () => {
    await build();
    for (const [path, prefix] of [
      ['/console/sign-in', ''],
      ['/console/p/1/traces', '../../'],
      ['/console/p/1/', '../../'],
      ['/console//sign-in', '../'],
      ['/console/%2e%2e%2fsecret-01234567.js', ''],
    ] as const) {
      const { status, bytes } = await get(path);
      const expected = page
        .replace('"assets/main-8', `"${prefix}assets/main-8`)
        .replace('"assets/main-0', `"${prefix}assets/main-0`);
      expect([path, status, bytes.toString()]).to.deep.equal([path, 200, expected]);
    }
    expect((await get(`/console/${'a/'.repeat(17)}`)).status).to.equal(404);
  });

  it('revalidates the page by its ETag, which differs by depth', async () => {
    await build();
    const { headers } = await get('/console/sign-in');
    const tag = String(headers.etag);
    expect(headers['cache-control']).to.equal('no-cache');
    expect((await get('/console/')).headers.etag).to.equal(tag);
    expect((await get('/console/p/1')).headers.etag).not.to.equal(tag);
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const fresh = await get('/console/invitation', { 'If-None-Match': known });
      expect([fresh.status, fresh.bytes.length, fresh.headers.etag]).to.deep.equal([304, 0, tag]);
      expect(fresh.headers['content-type']).to.equal(undefined);
    }
    expect((await get('/console/p/1', { 'If-None-Match': tag })).status).to.equal(200);
  });

  it('sends assets in the coding that the client accepts, to be cached for ever', async () => {
    await build();
    const path = '/console/assets/main-01234567.js';
    const decode = { br: brotliDecompressSync, gzip: gunzipSync } as const;
    for (const [accepted, coding] of [
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip;q=1, br;q=0', 'gzip'],
      ['*', 'br'],
      ['identity', undefined],
      ['br;q=x, deflate', undefined],
    ] as const) {
      const { status, headers, bytes } = await get(path, { 'Accept-Encoding': accepted });
      expect([status, headers['content-encoding']]).to.deep.equal([200, coding], accepted);
      const text = (coding === undefined ? bytes : decode[coding](bytes)).toString();
      expect(text === script, accepted).to.equal(true);
      expect(headers).to.include({
        'cache-control': 'public, max-age=31536000, immutable',
        'content-type': 'text/javascript; charset=utf-8',
        'content-length': String(bytes.length),
        vary: 'Accept-Encoding',
      });
    }
    const plain = await get('/console/assets/main-89ABCDEF.css', { 'Accept-Encoding': 'br' });
    expect([plain.bytes.toString(), plain.headers['content-encoding']]).to.deep.equal([
      style,
      undefined,
    ]);
    expect(plain.headers['content-type']).to.equal('text/css; charset=utf-8');
  });

  it('sends the head of a GET for HEAD, and refuses other methods', async () => {
    await build();
    for (const path of ['/console/', '/console/assets/main-01234567.js']) {
      const [whole, head] = [await get(path), await ask('HEAD', path)];
      expect([head.status, head.bytes.length]).to.deep.equal([200, 0]);
      expect(head.headers['content-length']).to.equal(whole.headers['content-length']);
    }
    for (const path of ['/console', '/console/', '/console/assets/main-01234567.js']) {
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
        const { status, headers } = await ask(method, path);
        expect([status, headers.allow]).to.deep.equal([405, 'GET, HEAD'], `${method} ${path}`);
      }
    }
  });

  it('answers nothing but the files of its build', async () => {
    await build();
    for (const path of [
      'linked-01234567.js',
      'notes.txt',
      'main-01234567.js.br',
      'main-89ABCDEF.js',
      '%6dain-01234567.js',
      '%2e%2e/index.html',
      '..%2f..%2fsecret-01234567.js',
      '../../secret-01234567.js',
      '../index.html',
      '/main-01234567.js',
      'main-01234567.js%00.css',
      'main-01234567.js/',
      '__proto__',
      '',
    ]) {
      const { status, bytes } = await get(`/console/assets/${path}`);
      expect([status, bytes.includes(secret)]).to.deep.equal([404, false], path);
    }
    expect((await get('/console/other-01234567.js')).bytes.toString()).to.equal(page);
    expect((await get('/consoles')).status).to.equal(404);
    const sockets = rawSockets(service.port);
    const socket = await sockets.open('GET /console/assets/\0 HTTP/1.1\r\nHost: x\r\n\r\n');
    const [answer] = await once(socket, 'data');
    sockets.close();
    expect(String(answer)).to.match(/^HTTP\/1\.1 400 /);
  });

  it('does not follow a link in place of its folder of assets', async () => {
    await build();
    await rm(join(web, 'assets'), { recursive: true });
    await symlink(folder.dir, join(web, 'assets'));
    expect((await get('/console/assets/secret-01234567.js')).status).to.equal(404);
  });

  it('names the command that builds it, finds it once built, and keeps what it read', async () => {
    const missing = await get('/console/');
    expect(missing.status).to.equal(404);
    expect(JSON.parse(missing.bytes.toString())).to.include({
      code: 'not_found',
      detail: 'The console is not built. Build it with: npm run build',
    });
    await build();
    expect((await get('/console/')).status).to.equal(200);
    await rm(web, { recursive: true });
    expect((await get('/console/assets/main-89ABCDEF.css')).bytes.toString()).to.equal(style);
  });

  it('reads its files at each request where it is watched', async () => {
    await build();
    const consoleDir = pathToFileURL(`${web}/`);
    const watched = await smallService([], { consoleDir, rereadsConsole: true });
    const read = async (): Promise<string> =>
      (await fetch(`${watched.url}/console/assets/main-89ABCDEF.css`)).text();
    expect(await read()).to.equal(style);
    await writeFile(join(web, 'assets', 'main-89ABCDEF.css'), 'main {}');
    expect(await read()).to.equal('main {}');
    await watched.close();
  });

  it('refuses a build of more than 5 MiB', async () => {
    await build();
    const large = join(web, 'assets', 'large-01234567.js');
    await writeFile(large, Buffer.alloc(5_242_880));
    expect((await get('/console/')).status).to.equal(500);
    await rm(large);
    expect((await get('/console/')).status).to.equal(200);
  });

  it('is one operation of metrics and log lines, without paths', async () => {
    await build();
    await get('/console/p/5f0c/traces?q=secret');
    expect(await service.metrics.text()).to.match(
      /assay_request_seconds_count\{operation="console",status="200"\} 1/,
    );
    const lines = service.lines.filter((line) => line.includes('"operation":"console"'));
    expect(lines).to.have.length(1);
    expect(lines.join('')).not.to.match(/5f0c|secret/);
  });
});

describe('ASSAY_CONSOLE', () => {
  const detailAt = async (app: App, path: string): Promise<unknown> => {
    const { body } = await clientOf({ url: app.url, apiKey: null }).send('GET', path);
    return (body as { detail?: string } | null)?.detail;
  };

  it('serves the console from the build unless it is off', async () => {
    const off = 'The console is off in this process (ASSAY_CONSOLE=off); the API is on';
    expect(await detailAt(await sharedApp(), '/console/')).not.to.equal(off);
    const app = await startApp(undefined, { ASSAY_CONSOLE: 'off' });
    for (const path of ['/console', '/console/', '/console/assets/main-01234567.js']) {
      expect(await detailAt(app, path), path).to.equal(off);
    }
    const { status } = await app.client.send('GET', '/v2/healthcheck');
    expect(status).to.equal(200);
    await app.close();
  });

  it('refuses other values', () => {
    expect(() => readConfig({ ASSAY_CONSOLE: 'yes' })).to.throw(
      'ASSAY_CONSOLE must be one of on, off, watch',
    );
  });
});
