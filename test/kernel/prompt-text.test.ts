import { expect } from 'chai';
import * as fc from 'fast-check';
import { promptChange, type PromptText } from '../../kernel/prompts/prompt-text.js';

const textOf = (template: PromptText['template'], settings = {}): PromptText => ({
  template,
  raw: false,
  settings,
  output_type: null,
});
const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 8 });
const countOf = (all: readonly string[], line: string) => all.filter((one) => one === line).length;

describe('the change between two prompts', () => {
  it('is everything for the first one', () => {
    expect(promptChange(null, textOf('a\nb', { model_alias: 'm' }))).to.deep.equal({
      content_changed: true,
      settings_changed: true,
      model_changed: true,
      lines_added: 2,
      lines_edited: 0,
      lines_removed: 0,
    });
  });
  it('is null between equal prompts, in any order of members', () => {
    const one = textOf('a', { top_p: 1, n: 2 });
    expect(promptChange(one, textOf('a', { n: 2, top_p: 1 }))).to.equal(null);
  });
  it('tells settings, model and content apart', () => {
    const before = textOf('a', { model_alias: 'm', n: 1 });
    expect(promptChange(before, textOf('a', { model_alias: 'm', n: 2 }))).to.include({
      content_changed: false,
      settings_changed: true,
      model_changed: false,
    });
    expect(promptChange(before, textOf('b', { model_alias: 'o', n: 1 }))).to.include({
      content_changed: true,
      settings_changed: true,
      model_changed: true,
      lines_edited: 1,
    });
  });
  it('sees a message that moved to another role', () => {
    const before = textOf([{ role: 'system', content: 'a' }]);
    const after = textOf([{ role: 'user', content: 'a' }]);
    expect(promptChange(before, after)).to.include({ content_changed: true, lines_edited: 0 });
  });
  it('counts lines as bags', () => {
    fc.assert(
      fc.property(lines, lines, (was, now) => {
        const change = promptChange(textOf(was.join('\n')), textOf(now.join('\n')));
        const distinct = [...new Set([...was, ...now])];
        const surplus = (of: readonly string[], over: readonly string[]) =>
          distinct.reduce(
            (sum, one) => sum + Math.max(0, countOf(of, one) - countOf(over, one)),
            0,
          );
        const { lines_added = 0, lines_edited = 0, lines_removed = 0 } = change ?? {};
        expect(lines_added + lines_edited).to.equal(surplus(now, was));
        expect(lines_removed + lines_edited).to.equal(surplus(was, now));
        expect(Math.min(lines_added, lines_removed)).to.equal(0);
      }),
    );
  });
});
