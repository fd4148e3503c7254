import { expect } from 'chai';
import { orderedViews, viewPermits } from '../../console/views/model.js';

const view = (name: string, isShared: boolean, createdBy = 'ada') => ({
  id: name,
  name,
  state: '',
  is_shared: isShared,
  created_by: createdBy,
  updated_at: '2026-03-01T00:00:00.000000Z',
});

describe('the model of saved views', () => {
  it('orders private views before shared ones, each by name', () => {
    const views = [view('b', true), view('c', false), view('a', true), view('a', false)];
    expect(orderedViews(views).map(({ name, is_shared }) => [name, is_shared])).to.deep.equal([
      ['a', false],
      ['c', false],
      ['a', true],
      ['b', true],
    ]);
  });

  it('permits as the service does, and says why not', () => {
    const credential = { type: 'login', id: null, project_id: null, project_role: null } as const;
    const of = (isShared: boolean, role: 'viewer' | 'editor' | 'owner', createdBy = 'ada') => {
      const caller = { id: 'ada', role: 'user', credential } as const;
      const permits = viewPermits(view('x', isShared, createdBy), { caller, project: { role } });
      return [permits.change.reason, permits.share.reason];
    };
    const reason = 'Needs the role editor; yours is viewer';
    expect(of(false, 'viewer')).to.deep.equal([null, reason]);
    expect(of(false, 'editor')).to.deep.equal([null, null]);
    expect(of(true, 'viewer')).to.deep.equal([reason, reason]);
    expect(of(true, 'owner')).to.deep.equal([null, null]);
    expect(of(true, 'owner', 'lin')).to.deep.equal([null, 'Only its creator can make it private']);
  });
});
