import { expect } from 'chai';
import { attributeFilter } from '../../console/traces/otel-attributes.js';

const record = {
  model: 'gpt-4o',
  status_code: 500,
  tool_call_id: null,
  user_metadata: { 'agent.depth': '3', 'service.name': 'airline', user_id: 'u-81', ok: 'true' },
};
const filterOf = (key: unknown, value: unknown) => attributeFilter({ key, value }, record);
const metadata = (name: string, value: string) => ({
  filter: { type: 'text', name: `user_metadata/${name}`, operator: 'eq', value },
});

describe('the filter of an attribute of OpenTelemetry', () => {
  it('names the column of spans that has the value', () => {
    expect(filterOf('agent.depth', { intValue: '3' })).to.deep.equal({
      kind: 'spans',
      tree: metadata('agent.depth', '3'),
    });
    expect(filterOf('ok', { boolValue: true })?.tree).to.deep.equal(metadata('ok', 'true'));
    expect(filterOf('user.id', { stringValue: 'u-81' })?.tree).to.deep.equal(
      metadata('user_id', 'u-81'),
    );
    expect(filterOf('gen_ai.response.model', { stringValue: 'gpt-4o' })?.tree).to.deep.equal({
      filter: { type: 'text', name: 'model', operator: 'eq', value: 'gpt-4o' },
    });
    expect(filterOf('http.status_code', { intValue: 500 })?.tree).to.deep.equal({
      filter: { type: 'number', name: 'status_code', operator: 'eq', value: 500 },
    });
  });

  it('looks for the name of a service among traces', () => {
    const found = filterOf('service.name', { stringValue: 'airline' });
    expect(found?.kind).to.equal('traces');
  });

  it('is missing where no record has the value, or it is a list, a map or too long', () => {
    for (const [key, value] of [
      ['agent.depth', { intValue: '4' }],
      ['unknown', { stringValue: 'x' }],
      ['constructor', { stringValue: 'x' }],
      ['__proto__', { stringValue: 'x' }],
      ['tool_call.id', { stringValue: 'call-1' }],
      ['gen_ai.request.model', { stringValue: 'gpt-4' }],
      ['agent.depth', { arrayValue: { values: [] } }],
      ['agent.depth', null],
      [7, { stringValue: '3' }],
    ] as const) {
      expect(filterOf(key, value), String(key)).to.equal(null);
    }
    const long = 'x'.repeat(1_001);
    const cut = { ...record, user_metadata: { long } };
    expect(attributeFilter({ key: 'long', value: { stringValue: long } }, cut)).to.equal(null);
  });
});
