import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig, roles, withRoles } from '../config.js';
import { interpolated, readCompose, type Compose, type ComposeService } from './support/compose.js';
import { repository } from './support/outside.js';

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
  it('gives every service a restart policy and a health check, and keeps what is to be kept', () => {
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
      const fill = () => Object.values(environment).map((value) => interpolated(value, {}));
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
    const secrets = {
      MONGO_PASSWORD: 'p'.repeat(48),
      ASSAY_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
      ASSAY_BOOTSTRAP_API_KEY: 'k'.repeat(48),
    };
    for (const [name, { environment = {}, command = [] }] of own()) {
      const filled = Object.fromEntries(
        Object.entries(environment).map(([key, value]) => [key, interpolated(value, secrets)]),
      );
      const config = withRoles(readConfig(filled), command.at(-1) ?? '');
      expect(config.eventStoreUrl, name).to.contain('://eventstore:');
      expect(config.mongodbUrl, name).to.contain('@mongo:');
      expect(config.natsUrl, name).to.contain('://nats:');
      expect(config.host, name).to.equal('0.0.0.0');
    }
  });
  it('leaves the operators’ listener inside', () => {
    for (const [name, { ports = [] }] of Object.entries(compose.services)) {
      for (const port of ports) expect(port, name).to.match(/^\d+:8080$/);
    }
  });
});

describe('the image', () => {
  let stages: readonly string[];
  before(async () => {
    const text = await readFile(join(repository, 'Dockerfile'), 'utf8');
    stages = text.split(/^(?=FROM )/m).filter((stage) => stage.startsWith('FROM '));
  });

  it('is built in one stage and runs from another, without root and compilers', () => {
    expect(stages).to.have.length(2);
    const [, last = ''] = stages;
    expect(last).to.match(/^USER assay$/m);
    expect(last).to.match(/--uid 10001/);
    expect(last).not.to.match(/g\+\+|make|npm ci/);
  });
  it('copies only what the build makes', () => {
    const [build = '', last = ''] = stages;
    expect(build).to.contain('FROM node:20-bookworm-slim AS build');
    for (const [, path = ''] of last.matchAll(/^COPY --from=build --chown=root:root (\S+)/gm)) {
      expect(['/app/package.json', '/app/node_modules', '/app/dist']).to.include(path);
    }
    expect(last).to.match(/^ENTRYPOINT \["node", "--max-semi-space-size=64", "dist\/main\.js"\]$/m);
  });
});
