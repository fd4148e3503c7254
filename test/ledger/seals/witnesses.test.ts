import { expect } from 'chai';
import { witnessKey } from '../../../engines/node/seal-keys.js';
import { sealWitness, parseWitnessAddress } from '../../../engines/node/seal-witnesses.js';
import { newCosigner, openSealWitness } from '../../support/seal-witness.js';
import { acme, key, openSealFixture, type SealFixture } from '../../support/seal-fixture.js';

describe('witnesses of seals', () => {
  let at: SealFixture;
  beforeEach(async () => {
    at = await openSealFixture();
  });
  afterEach(() => at.testLog.close());

  it('cosign from the size that each signed last, and are retried until they do', async () => {
    const witness = await openSealWitness('witness.example.org/w1');
    try {
      const keys = [key, witnessKey(key)];
      await at.appendEvents(3);
      expect(await at.worker({ keys }).later(3_600)).to.equal(1);
      await at.appendEvents(2, acme, 3_600);
      witness.trust(`assay.example.org/${acme}`, key.vkey('assay.example.org'));
      const late = at.worker({ keys, witnesses: [witness.client()] });
      expect(await late.later(7_200)).to.equal(1);
      const { witnesses, note } = await at.seal();
      expect(witnesses).to.deep.equal(['witness.example.org/w1']);
      expect(note.match(/^\u2014 witness\.example\.org\/w1 /gm)).to.have.length(1);
      expect(witness.seen(`assay.example.org/${acme}`)).to.equal(6);
      witness.silent(true);
      await at.appendEvents(1, acme, 7_300);
      expect(await late.later(3_700)).to.equal(1);
      expect(late.counts.unwitnessed).to.have.length(1);
      witness.silent(false);
      await late.later(1);
      expect((await at.seal()).witnesses).to.deep.equal([]);
      await late.later(60);
      expect((await at.seal()).witnesses).to.deep.equal(['witness.example.org/w1']);
    } finally {
      await witness.close();
    }
  });

  it('are ignored when another witness signs in their place', async () => {
    const witness = await openSealWitness('witness.example.org/w1');
    try {
      witness.trust(`assay.example.org/${acme}`, key.vkey('assay.example.org'));
      await at.appendEvents(1);
      const [, url = ''] = witness.address.split('@');
      const address = parseWitnessAddress(`${newCosigner('witness.example.org/w1').vkey}@${url}`);
      if (address === null) throw new Error('not an address');
      const { later, counts } = at.worker({ witnesses: [sealWitness(address)] });
      expect(await later(3_600)).to.equal(1);
      expect(counts.unwitnessed.join()).to.match(/did not sign the checkpoint/);
      expect((await at.seal()).witnesses).to.deep.equal([]);
    } finally {
      await witness.close();
    }
  });

  it('do not cosign a fork', async () => {
    const witness = await openSealWitness('witness.example.org/w1');
    try {
      witness.trust(`assay.example.org/${acme}`, key.vkey('assay.example.org'));
      await at.appendEvents(4);
      await at.worker({ witnesses: [witness.client()] }).later(3_600);
      // Another history under the same name and key, as whoever has both could make it.
      const fork = await openSealFixture();
      await fork.appendEvents(9);
      const forked = fork.worker({ witnesses: [witness.client()] });
      expect(await forked.later(3_600)).to.equal(1);
      await fork.testLog.close();
      expect(forked.counts.unwitnessed.join()).to.match(/w1: Fault: .*refuses/);
      expect(witness.seen(`assay.example.org/${acme}`)).to.equal(4);
    } finally {
      await witness.close();
    }
  });
});
