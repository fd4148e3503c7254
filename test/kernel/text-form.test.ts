import { expect } from 'chai';
import { textForm } from '../../kernel/records/text-form.js';

describe('the text form of a value', () => {
  it('is the string itself', () => {
    expect(textForm('')).to.equal('');
    expect(textForm('a\nb')).to.equal('a\nb');
  });

  it('is missing for null and absence', () => {
    expect(textForm(null)).to.equal(null);
    expect(textForm(undefined)).to.equal(null);
  });

  it('is the content of a message and of a document', () => {
    expect(textForm({ content: 'hello', role: 'user' })).to.equal('hello');
    expect(textForm({ content: 'page 1', metadata: { source: 'x' } })).to.equal('page 1');
  });

  it('joins the items of a list by line feeds', () => {
    expect(
      textForm([
        { content: 'one', role: 'user' },
        {
          content: [
            { type: 'text', text: 'two' },
            { type: 'text', text: '3' },
          ],
          role: 'user',
        },
      ]),
    ).to.equal('one\ntwo\n3');
    expect(textForm([])).to.equal('');
  });

  it('has nothing for a file part, not even a separator', () => {
    const file = { type: 'file', file_id: '3fa85f64-5717-4562-b3fc-2c963f66afa6' };
    expect(textForm([{ type: 'text', text: 'a' }, file, { type: 'text', text: 'b' }])).to.equal(
      'a\nb',
    );
    expect(textForm(file)).to.equal(null);
  });

  it('is the compact JSON of a control result', () => {
    expect(textForm({ action: 'deny', matched: true, confidence: null })).to.equal(
      '{"action":"deny","matched":true,"confidence":null}',
    );
  });
});
