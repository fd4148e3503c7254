import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import {
  integrationSlots,
  integrationStream,
  sealStream,
} from '../../command-api/facts/integrations.js';
import {
  configure,
  disable,
  remove,
  reseal,
  select,
} from '../../command-api/integrations/integrations.js';
import { openKeyedMutex } from '../../kernel/concurrency.js';
import { userStream } from '../../command-api/facts/users.js';
import { rotateKeys } from '../../command-api/integrations/key-rotation.js';
import { writeSeal } from '../../command-api/integrations/secret-seals.js';
import { readSeal, sealContext } from '../../command-api/facts/integration-secrets.js';
import { sweepUnusedSeals } from '../../command-api/integrations/seal-sweep.js';
import { openDataKeys } from '../../engines/node/data-keys.js';
import { diskFiles } from '../../engines/node/files.js';
import { randomIds } from '../../engines/node/ids.js';
import { openVault } from '../../engines/node/vault.js';
import type { IntegrationEvent } from '../../events/integrations.js';
import type { IntegrationId, SealId } from '../../kernel/schema-types.js';
import { loadStreamState } from '../../kernel/transact.js';
import type { Fingerprint, Vault } from '../../kernel/vault.js';
import { deciderSpec } from '../support/decider-spec.js';
import { authorAt, instantAfter, testClock, testLog, type TestLog } from '../support/test-log.js';
import { organization, userId, userCreated } from '../support/access-events.js';

const given = deciderSpec(integrationSlots);
const uuid = (digit: string, number: number) =>
  `${digit.repeat(8)}-0000-4000-8000-${String(number).padStart(12, '0')}`;
const id = uuid('1', 1) as IntegrationId;
const seal = (number: number) => uuid('2', number) as SealId;
const place = {
  integration_id: id,
  organization_id: organization,
  user_id: userId(1),
  provider: 'writer',
} as const;
const configuration = (number: number, more: object = {}) => ({
  ...place,
  at: instantAfter(number),
  seal_id: seal(number),
  seal_version: number,
  name: 'writer',
  settings: { organization_id: 'account' },
  fingerprint: `print ${number}` as Fingerprint,
  ...more,
});
const configured = (number: number): IntegrationEvent => ({
  type: 'IntegrationConfigured',
  data: configuration(number),
});
const deleted: IntegrationEvent = { type: 'IntegrationDeleted', data: place };
const disabled: IntegrationEvent = {
  type: 'IntegrationDisabled',
  data: { ...place, at: instantAfter(5) },
};
const slotAfter = (...events: readonly IntegrationEvent[]) =>
  events.reduce(integrationSlots.evolve, integrationSlots.initial);

describe('deciding on integrations', () => {
  it('configures a new integration and replaces an existing one', () => {
    given()
      .when(configure(configuration(1), slotAfter(), null))
      .then(configured(1));
    given(configured(1))
      .when(configure(configuration(2), slotAfter(configured(1)), null))
      .then(configured(2));
  });

  it('leaves an equal configuration as it is, whatever it was sealed for', () =>
    given(configured(1))
      .when(configure(configuration(7, { fingerprint: 'print 1' }), slotAfter(), null))
      .thenNothing());

  it('refuses one that was sealed for a state that has changed', () =>
    given(configured(1))
      .when(configure(configuration(2), slotAfter(), null))
      .thenRejected('conflict'));

  it('acts under If-Match only on what the caller saw', () => {
    given()
      .when(configure(configuration(1), slotAfter(), '*'))
      .thenRejected('precondition-failed');
    given(configured(1))
      .when(configure(configuration(2), slotAfter(configured(1)), ['0']))
      .thenRejected('precondition-failed');
    given(configured(1))
      .when(remove(['0']))
      .thenRejected('precondition-failed');
  });

  it('deletes once, and starts afresh after that', () => {
    given(configured(1)).when(remove(null)).then(deleted);
    given(configured(1), deleted).when(remove(null)).thenNothing();
    const { integration } = slotAfter(configured(1), disabled, deleted, configured(2));
    expect(integration).to.include({ disabled: false, createdAt: instantAfter(2) });
  });

  it('disables, enables and selects, each once', () => {
    given(configured(1))
      .when(disable(true, instantAfter(5)))
      .then(disabled);
    given(configured(1), disabled)
      .when(disable(true, instantAfter(6)))
      .thenNothing();
    given(configured(1), disabled)
      .when(disable(false, instantAfter(6)))
      .then({ type: 'IntegrationEnabled', data: { ...place, at: instantAfter(6) } });
    given()
      .when(disable(true, instantAfter(5)))
      .thenRejected('not-found');
    given(configured(1))
      .when(select(id, null, instantAfter(5)))
      .thenNothing();
    given(configured(1), deleted)
      .when(select(id, null, instantAfter(5)))
      .thenRejected('not-found');
    given(configured(1))
      .when(select(id, ['"other"'], instantAfter(5)))
      .thenRejected('precondition-failed');
  });

  it('reseals without a visible change, unless the secrets were changed meanwhile', () => {
    const before = slotAfter(configured(1));
    const anew = { seal_id: seal(9), seal_version: 2 };
    const resealed: IntegrationEvent = { type: 'IntegrationResealed', data: { ...place, ...anew } };
    given(configured(1)).when(reseal(before, anew)).then(resealed);
    given(configured(1), disabled).when(reseal(before, anew)).thenNothing();
    given(configured(1), deleted).when(reseal(before, anew)).thenNothing();
    expect(slotAfter(configured(1), resealed).tag).to.equal(before.tag);
  });
});

describe('sealed secrets of integrations', () => {
  let world: TestLog;
  let vault: Vault;
  let clock: ReturnType<typeof testClock>;
  beforeEach(async () => {
    world = await testLog();
    clock = testClock();
    vault = openVault({
      keys: openDataKeys(diskFiles, join(world.dir, 'data-keys')),
      clock,
      ids: randomIds,
      masterKey: randomBytes(32),
      fingerprintKey: randomBytes(32),
    });
    await world.append(userStream(userId(1)), userCreated(1, 'admin'));
  });
  afterEach(() => world.close());

  const stream = integrationStream(userId(1), 'writer');
  const seals = () => world.log.streams('sealed-integration-', null, 100);
  const sealed = (number: number, text: string) =>
    writeSeal(
      { log: world.log, vault },
      place,
      { seal_id: seal(number), seal_version: number },
      text,
      authorAt(),
    );
  const put = async (number: number, text: string): Promise<void> => {
    await sealed(number, text);
    await world.append(stream, configured(number));
  };
  const read = async (): Promise<string | null> => {
    const { state } = await loadStreamState(world.log, stream, integrationSlots);
    const now = state.integration;
    const found = now === null ? null : await readSeal(world.log, id, now.sealId);
    return found === null ? null : vault.open(sealContext(found, found.seal_version), found.sealed);
  };
  const rotate = () =>
    rotateKeys({ log: world.log, vault, clock, ids: randomIds, keyedMutex: openKeyedMutex() });
  const sweep = () => sweepUnusedSeals({ log: world.log, clock, ids: randomIds });

  it('do not open on the stream of another integration', async () => {
    await put(1, 'mine');
    const moved = await readSeal(world.log, id, seal(1));
    if (moved === null) throw new Error('there is no seal');
    const theirs = sealContext({ ...moved, integration_id: uuid('1', 2) as IntegrationId }, 1);
    const opening = await vault.open(theirs, moved.sealed).catch((error: unknown) => error);
    expect(opening).to.be.instanceOf(Error).and.not.match(/mine/);
  });

  it('are resealed by a rotation, and the next one destroys the old data key', async () => {
    await put(1, 'secret');
    const { state: before } = await loadStreamState(world.log, stream, integrationSlots);
    clock.move(1);
    expect(await rotate()).to.deep.equal({ organizations: 1, resealed: 1, destroyed: 0, lost: 0 });
    expect(await read()).to.equal('secret');
    expect(await seals())
      .to.have.length(1)
      .and.not.include(sealStream(id, seal(1)));
    const { state: after } = await loadStreamState(world.log, stream, integrationSlots);
    expect(after.tag).to.equal(before.tag);
    clock.move(1);
    expect(await rotate()).to.include({ resealed: 1, destroyed: 1 });
    expect(await read()).to.equal('secret');
    const keys = await openDataKeys(diskFiles, join(world.dir, 'data-keys')).all();
    expect(keys).to.have.length(2);
  });

  it('do not keep others from a rotation when they are lost', async () => {
    await put(1, 'secret');
    await openDataKeys(diskFiles, join(world.dir, 'data-keys')).update(() => []);
    expect(await rotate()).to.include({ resealed: 0, lost: 1 });
    await put(2, 'again');
    expect(await rotate()).to.include({ resealed: 1, lost: 0 });
  });

  it('are swept after a crash once no request can still use them', async () => {
    await put(1, 'first');
    await put(2, 'second');
    await sealed(3, 'never used');
    expect(await sweep()).to.equal(0);
    clock.move(61);
    expect(await sweep()).to.equal(2);
    expect(await seals()).to.deep.equal([sealStream(id, seal(2))]);
    expect(await sweep()).to.equal(0);
    expect(await read()).to.equal('second');
  });

  it('are swept with the integration of a removed user', async () => {
    await put(1, 'secret');
    await world.append(userStream(userId(1)), {
      type: 'UserRemoved',
      data: { user_id: userId(1), organization_id: organization },
    });
    clock.move(61);
    expect(await sweep()).to.equal(1);
    const last = (await world.eventsOf(stream)).at(-1);
    expect(last).to.deep.include({ type: 'IntegrationDeleted' });
    expect(await sweep()).to.equal(0);
  });
});
