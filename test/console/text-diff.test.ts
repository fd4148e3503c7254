import { expect } from 'chai';
import { diffTexts } from '../../console/engines/text-diff.js';

describe('the comparison of two texts', () => {
  it('shows what changed where the texts have most in common', async () => {
    const pieces = await diffTexts('The flight 6 is booked', 'The flight 6 is sold out', 'words');
    expect(pieces?.filter(({ kind }) => kind === 'removed')).to.deep.equal([
      { kind: 'removed', text: 'booked' },
    ]);
  });

  it('leaves texts of other words apart, and a single replacement whole', async () => {
    const wish = 'Done, your wish "To Rome with a pram?" is booked under 2.';
    expect(await diffTexts(wish, 'upstream timeout', 'words')).to.equal(null);
    expect(await diffTexts(wish, 'upstream timeout', 'lines')).to.have.length(2);
    expect(await diffTexts('yes', 'no', 'words')).to.have.length(2);
  });
});
