import { expect } from 'chai';
import { rotateCommand, type RotationResult } from '../../command-api/integrations/key-rotation.js';
import { openReadOnlyLog } from '../../service/log-reader.js';
import { opsCaller } from '../../cli/ops-client.js';
import { integrationStream, integrationSlots } from '../../command-api/facts/integrations.js';
import { readSeal, sealContext } from '../../command-api/facts/integration-secrets.js';
import { readConfig } from '../../config.js';
import { providers, type Provider } from '../../contract/integration-providers.js';
import { systemClock } from '../../engines/node/clock.js';
import { diskFiles } from '../../engines/node/files.js';
import { randomIds } from '../../engines/node/ids.js';
import { openSecrets, ensureSecretKey } from '../../engines/node/secrets.js';
import { openVault } from '../../engines/node/vault.js';
import { openEngines, secretKeyFile } from '../../engines/open.js';
import type { EventLog } from '../../kernel/ports.js';
import { loadStreamState } from '../../kernel/transact.js';
import { expectReplayEqual } from '../support/app.js';
import {
  startTwoOrganizations,
  type RoleUser,
  type TwoOrganizations,
} from '../support/two-organizations.js';
import { runs } from '../support/runs.js';
import { integrationBodies } from '../support/integration-bodies.js';

type Place = { readonly person: RoleUser; readonly provider: Provider };

const roundsMore = runs(4);

describe('a rotation of data keys during requests', function () {
  this.timeout(60_000 * runs(1));
  let cast: TwoOrganizations;
  let people: readonly RoleUser[];
  before(async () => {
    cast = await startTwoOrganizations();
    people = [cast.ours, cast.theirs].flatMap(({ admin, user, auditor }) => [admin, user, auditor]);
  });
  after(async () => {
    await expectReplayEqual(cast.app);
    await cast.close();
  });

  const places = () =>
    people.flatMap((person) => providers.map((provider) => ({ person, provider })));
  /** Configures and reads one so many times; answers the text that was sent last. */
  const using = async ({ person, provider }: Place, rounds: number): Promise<string> => {
    const path = `/v2/integrations/${provider}`;
    let text = '';
    for (let round = 0; round < rounds; round += 1) {
      text = `${provider} of ${person.id}, ${round} of ${rounds};`;
      const { [provider]: body } = integrationBodies(() => text);
      await person.as.call('PUT', path, { body });
      await person.as.call('GET', path);
    }
    return text;
  };
  const rotate = async (): Promise<RotationResult> =>
    (await opsCaller(cast.app.opsUrl, { opsToken: null })(rotateCommand, {})) as RotationResult;

  it('fails no request, and keeps each secret as it was last sent', async () => {
    await Promise.all(places().map((place) => using(place, 1)));
    const state = { over: false };
    const all = places().map((place, at) => using(place, 2 + (at % roundsMore)));
    const sent = Promise.all(all).finally(() => {
      state.over = true;
    });
    // Each ends at another time, so that some are rotated while they are changed for the last time.
    while (!state.over) expect(await rotate()).to.include({ organizations: 2, lost: 0 });
    const texts = await sent;
    expect(await rotate()).to.include({ organizations: 2, resealed: texts.length, lost: 0 });
    const opened = await openAll();
    expect(opened.keys, 'each organisation’s present key and the one it replaced').to.equal(4);
    for (const [at, text] of texts.entries()) expect(opened.texts[at]).to.include(text);
  });

  /** Opens each ciphertext by the vault. */
  const openAll = async () => {
    const { dir } = cast.app;
    const config = readConfig({ ASSAY_DATA_DIR: dir });
    const { reader, close } = await openReadOnlyLog(config);
    const log = reader as EventLog;
    const keys = await (await openEngines(config)).dataKeys();
    const secrets = openSecrets(await ensureSecretKey(diskFiles, secretKeyFile(dir)));
    const vault = openVault({ keys, clock: systemClock, ids: randomIds, ...secrets });
    const texts: (string | null)[] = [];
    for (const { person, provider } of places()) {
      const { state } = await loadStreamState(
        log,
        integrationStream(person.id, provider),
        integrationSlots,
      );
      const { integration } = state;
      const seal =
        integration && (await readSeal(log, integration.place.integration_id, integration.sealId));
      texts.push(seal && (await vault.open(sealContext(seal, seal.seal_version), seal.sealed)));
    }
    const count = (await keys.all()).length;
    await keys.close();
    await close();
    return { keys: count, texts };
  };
});
