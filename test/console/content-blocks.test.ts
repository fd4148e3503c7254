import { expect } from 'chai';
import { contentBlocks, structuredJson } from '../../console/traces/content-blocks.js';

const call = (id: string) => ({ id, function: { name: 'refund', arguments: '{"id":"8812"}' } });

describe('the blocks of an input or output', () => {
  it('join tool calls to their answers by tool_call_id', () => {
    const blocks = contentBlocks([
      { role: 'user', content: 'Refund 8812 and 8813' },
      { role: 'assistant', content: '', tool_calls: [call('call_1'), call('call_2')] },
      { role: 'tool', content: 'refunded', tool_call_id: 'call_2' },
      { role: 'tool', content: 'closed', tool_call_id: 'call_1' },
      { role: 'assistant', content: 'Done' },
    ]);
    expect(blocks.map((block) => block.type === 'message' && block.role)).to.deep.equal([
      'user',
      'assistant',
      'assistant',
    ]);
    const [, caller] = blocks;
    expect(caller?.type === 'message' && caller.calls.map(({ answer }) => answer)).to.deep.equal([
      'closed',
      'refunded',
    ]);
  });

  it('keep an answer without a call, and a second answer to one call', () => {
    const answer = { role: 'tool', content: 'closed', tool_call_id: 'call_1' };
    expect(contentBlocks([answer])).to.have.length(1);
    const caller = { role: 'assistant', content: '', tool_calls: [call('call_1')] };
    expect(contentBlocks([caller, answer, answer])).to.have.length(2);
  });

  it('tell texts, parts, documents, control results and other JSON apart', () => {
    const types = (value: unknown) => contentBlocks(value).map(({ type }) => type);
    expect(types('text')).to.deep.equal(['text']);
    expect(types(null)).to.deep.equal([]);
    const parts = [
      { type: 'text', text: 'a' },
      { type: 'file', file_id: 'f' },
    ];
    expect(types(parts)).to.deep.equal(['text', 'file']);
    expect(types([{ content: 'd', metadata: {} }, 'e'])).to.deep.equal(['document', 'text']);
    expect(types({ action: 'deny', matched: true })).to.deep.equal(['control']);
    expect(types({ whatever: [1, { deep: null }] })).to.deep.equal(['json']);
  });

  it('read a text as JSON only where it is an object or a list of moderate length', () => {
    expect(structuredJson(' {"a":1}')).to.deep.equal({ a: 1 });
    expect(structuredJson('12')).to.equal(undefined);
    expect(structuredJson('{"a":')).to.equal(undefined);
    expect(structuredJson(`["${'x'.repeat(200_000)}"]`)).to.equal(undefined);
  });
});
