import { expect } from 'chai';
import * as fc from 'fast-check';
import { redactedMessage } from '../../kernel/model-calls.js';

const secret = 'sk-canary-93f1c7a2b5e8';

describe('messages of providers', () => {
  it('replaces what a message shares with a credential', () => {
    const shown = (message: string) => redactedMessage(message, [secret, 'blue']);
    expect(shown(`The key ${secret} is unknown`)).to.equal('The key [secret] is unknown');
    expect(shown('Key SK-CANARY-9... is unknown')).to.equal('Key [secret]... is unknown');
    expect(shown('Key sk-cana is unknown')).to.equal('Key sk-cana is unknown');
    expect(shown('Team blue is unknown')).to.equal('Team [secret] is unknown');
    expect(redactedMessage('a/b+c=d/ef', ['a/b+c=d/ef'])).to.equal('[secret]');
    expect(redactedMessage('?key=a%2Fb%2Bc%3Dd%2Fef', ['a/b+c=d/ef'])).to.equal('?key=[secret]');
  });

  it('leaves no text of 8 characters of any secret, in at most 300', () => {
    const part = fc.oneof(fc.string({ minLength: 1, maxLength: 12 }), fc.constant(secret));
    const parts = fc.array(part, { maxLength: 60 });
    fc.assert(
      fc.property(parts, fc.nat(40), (before, cut) => {
        const shown = redactedMessage(before.join('') + secret.slice(0, cut), [secret]);
        expect(shown.length).to.be.at.most(300);
        for (let at = 0; at + 8 <= secret.length; at += 1)
          expect(shown.toLowerCase()).not.to.contain(secret.slice(at, at + 8));
      }),
    );
  });
});
