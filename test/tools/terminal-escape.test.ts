import { expect } from 'chai';
import { escapeControls } from '../../tools/terminal/terminal-escape.js';

describe('text of tenants in a terminal', () => {
  it('escapes control characters, and keeps lines, tabs and JSON', () => {
    expect(escapeControls('\u001b]0;title\u0007 \u009b2J \u202eabc\r \u007f')).to.equal(
      '\\u001b]0;title\\u0007 \\u009b2J \\u202eabc\\u000d \\u007f',
    );
    expect(escapeControls('a\n\tÄ 漢 🙂')).to.equal('a\n\tÄ 漢 🙂');
    const value = { text: '\u001b[2J \u009b \u2066' };
    expect(JSON.parse(escapeControls(JSON.stringify(value)))).to.deep.equal(value);
  });
});
