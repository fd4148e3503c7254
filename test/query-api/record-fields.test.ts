import { expect } from 'chai';
import { memberNames } from '../../contract/record-reads.js';
import { contentMembers } from '../../kernel/records/record-contents.js';
import { fieldComplaints, pickFields } from '../../query-api/records/fields.js';
import { planSearch } from '../../query-api/records/plan.js';

const record = {
  id: 'a',
  type: 'workflow',
  name: 'step',
  metrics: { cost: 1, own: 2, broken: 3, scored: 4 },
  metric_info: {
    cost: { status_type: 'success', value: 1 },
    own: { status_type: 'success', value: 2 },
    broken: { status_type: 'error', message: 'no', ems_error_code: 1_001 },
    scored: { status_type: 'success', value: 4, scorer_value: 5 },
    duration_ns: { status_type: 'roll_up', value: 9, roll_up_metrics: { elapsed: 9 } },
  },
  user_metadata: { team: 'red', city: 'Oslo' },
  tags: ['a'],
};

describe('fields of a search', () => {
  it('answers the id and the members that the record has', () => {
    expect(pickFields(record, ['name', 'tags'])).to.deep.equal({
      id: 'a',
      name: 'step',
      tags: ['a'],
    });
    expect(pickFields(record, ['model', 'id', 'id'])).to.deep.equal({ id: 'a' });
  });

  it('answers an own value alone, and with its info where that says more', () => {
    expect(pickFields(record, ['metrics/cost', 'metrics/own'])).to.deep.equal({
      id: 'a',
      metrics: { cost: 1, own: 2 },
    });
    const more = ['broken', 'scored', 'duration_ns', 'never'].map((name) => `metrics/${name}`);
    const { broken, scored, duration_ns } = record.metric_info;
    expect(pickFields(record, more)).to.deep.equal({
      id: 'a',
      metrics: { broken: 3, scored: 4 },
      metric_info: { broken, scored, duration_ns },
    });
  });

  it('answers entries of user metadata, and whole maps before entries of them', () => {
    const { user_metadata, metrics } = record;
    expect(pickFields(record, ['user_metadata/city', 'user_metadata/toString'])).to.deep.equal({
      id: 'a',
      user_metadata: { city: 'Oslo' },
    });
    const whole = ['user_metadata/city', 'user_metadata', 'metrics', 'metrics/cost'];
    expect(pickFields(record, whole)).to.deep.equal({ id: 'a', user_metadata, metrics });
  });

  it('refuses what records of the kind cannot have, by name', () => {
    const fields = ['input', 'tools', 'metrics/x', 'user_metadata/y', 'annotations/z', 'nmae'];
    const said = (population: 'trace' | 'span' | 'session') =>
      fieldComplaints(fields, population).map(({ loc, msg }) => [loc.at(-1), msg]);
    expect(said('span')).to.deep.equal([
      ['4', "Value error, spans have no field 'annotations/z'"],
      ['5', "Value error, spans have no field 'nmae'"],
    ]);
    expect(said('trace').map(([at]) => at)).to.deep.equal(['1', '4', '5']);
    for (const population of ['trace', 'span', 'session'] as const) {
      expect(fieldComplaints(memberNames[population], population)).to.deep.equal([]);
    }
  });

  it('reads the contents among them, and no others', () => {
    const contents = (fields: string[]) => planSearch({ fields }, 'span', new Map()).plan?.contents;
    expect(contents(['name', 'metrics/cost'])).to.deep.equal([]);
    expect(contents(['name', 'events', 'input'])).to.deep.equal(['input', 'events']);
    expect(contents([...memberNames.span])).to.deep.equal(contentMembers);
    expect(planSearch({}, 'span', new Map()).plan).to.not.have.property('contents');
  });
});
