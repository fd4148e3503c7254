import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { expectReplayEqual } from '../support/app.js';
import { startTwoOrganizations, type TwoOrganizations } from '../support/two-organizations.js';
import { clientOf, type Client, type Reply } from '../support/client.js';
import { expectInvalid, expectRefused } from '../support/key-ring.js';
import { basic, bearer, cookieOf, type Token } from '../support/logins.js';
import { pollUntil } from '../support/poll-until.js';

type Invitation = {
  readonly user_id: string;
  readonly email: string;
  readonly role: string;
  readonly invitation_token: string | null;
  readonly expires_at: string;
};
type Invited = { readonly message: string; readonly invitations: readonly Invitation[] };

describe('invitations over HTTP', () => {
  let cast: TwoOrganizations;
  before(async () => {
    cast = await startTwoOrganizations();
  });
  after(async () => {
    await expectReplayEqual(cast.app);
    await cast.close();
  });

  const invite = (
    body: object,
    as: Client = cast.ours.manager.as,
    headers: Record<string, string> = {},
  ): Promise<Reply<Invited>> => as.send('POST', '/v2/invite_users', { body, headers });
  const someone = (): string => `${randomUUID()}@example.org`;

  it('makes users who cannot log in yet, with a token for each', async () => {
    const emails = [someone(), someone()];
    const { status, body } = await invite({ emails });
    expect(status).to.equal(200);
    expect(body.message).to.equal('2 users are invited.');
    expect(body.invitations.map(({ email }) => email)).to.deep.equal(emails);
    const [first] = body.invitations;
    expect(first?.invitation_token).to.match(/^inv_[0-9A-Za-z_-]{64}$/);
    const days = (Date.parse(first?.expires_at ?? '') - Date.now()) / 86_400_000;
    expect(days).to.be.within(6.99, 7);
    const user = await cast.ours.user.as.call('GET', `/v2/users/${first?.user_id}`);
    expect(user.body).to.include({ email: emails[0], role: 'user', auth_method: 'invite' });
  });

  it('gives no token for other ways to log in', async () => {
    const others = ['google', 'github', 'okta', 'azure-ad', 'custom', 'saml', 'invite'];
    for (const auth_method of others) {
      const { body } = await invite({ emails: [someone()], auth_method });
      expect(body.invitations[0], auth_method).to.have.all.keys([
        'user_id',
        'email',
        'role',
        'invitation_token',
        'expires_at',
      ]);
      expect(body.invitations[0]?.invitation_token, auth_method).to.equal(null);
    }
    for (const auth_method of ['email', null]) {
      const { body } = await invite({ emails: [someone()], auth_method });
      expect(body.invitations[0]?.invitation_token).to.match(/^inv_/);
    }
    expectInvalid(
      await invite({ emails: [someone()], auth_method: 'letter' }),
      ['body', 'auth_method'],
      'enum',
    );
  });

  it('shows no token again under the same Idempotency-Key', async () => {
    const key = { 'Idempotency-Key': randomUUID() };
    const body = { emails: [someone()] };
    const first = await invite(body, cast.ours.manager.as, key);
    const again = await invite(body, cast.ours.manager.as, key);
    const [invitation] = first.body.invitations;
    expect(again.body.invitations).to.deep.equal([{ ...invitation, invitation_token: '' }]);
  });

  it('puts the invited into groups, and refuses groups of others', async () => {
    const group = async (as: Client): Promise<string> => {
      const { body } = await as.call<{ id: string }>('POST', '/v2/groups', {
        body: { name: randomUUID() },
      });
      return body.id;
    };
    const ours = await group(cast.ours.user.as);
    const emails = [someone(), someone()];
    expect((await invite({ emails, group_ids: [ours] })).status).to.equal(200);
    const listed = await cast.ours.user.as.call<{ members: { email: string }[] }>(
      'GET',
      `/v2/groups/${ours}/members`,
    );
    expect(listed.body.members.map(({ email }) => email)).to.include.members(emails);
    for (const id of [randomUUID(), await group(cast.theirs.user.as)]) {
      const refused = await invite({ emails: [someone()], group_ids: [ours, id] });
      expectRefused(refused, 404, 'not_found');
    }
  });

  it('answers 409 for an e-mail in use in any spelling, and invites no user', async () => {
    const fresh = someone();
    for (const taken of [cast.ours.user.email.toUpperCase(), cast.theirs.user.email]) {
      expectRefused(await invite({ emails: [fresh, taken] }), 409, 'already_exists');
    }
    const { body } = await invite({ emails: [fresh, fresh.toUpperCase()] });
    expect(body.invitations.map(({ email }) => email)).to.deep.equal([fresh]);
  });

  it('requires a manager, and an admin to invite admins', async () => {
    expectRefused(await invite({ emails: [someone()] }, cast.ours.user.as), 403, 'forbidden');
    expectRefused(await invite({ emails: [someone()], role: 'admin' }), 403, 'forbidden');
    const byAdmin = await invite({ emails: [someone()], role: 'admin' }, cast.ours.admin.as);
    expect(byAdmin.status).to.equal(200);
  });

  it('answers 422 for no e-mail, too many, and malformed ones', async () => {
    expectInvalid(await invite({ emails: [] }), ['body', 'emails'], 'too_short');
    const many = Array.from({ length: 101 }, someone);
    expectInvalid(await invite({ emails: many }), ['body', 'emails'], 'too_long');
    for (const email of ['nobody', 'a b@example.org', '@example.org', 'a b@c']) {
      expectInvalid(await invite({ emails: [email] }), ['body', 'emails', '0'], 'value_error');
    }
  });

  describe('accepting', () => {
    const password = 'correct horse battery';
    const anybody = (): Client => clientOf({ url: cast.app.url, apiKey: null });
    const accept = (body: object): Promise<Reply<Token>> =>
      anybody().send('POST', '/v2/invitations/accept', { body });
    const invited = async (more: object = {}): Promise<Invitation> => {
      const { body } = await invite({ emails: [someone()], ...more });
      const [invitation] = body.invitations;
      if (invitation === undefined) throw new Error('nobody was invited');
      return invitation;
    };

    it('logs in once by the token, afterwards with the password', async () => {
      const { invitation_token: token, user_id: id, email } = await invited();
      const accepted = await accept({ token, password, first_name: 'Grace', last_name: 'H' });
      expect(accepted.status, JSON.stringify(accepted.body)).to.equal(200);
      expect(cookieOf(accepted)?.get('refresh_token')).to.match(/./);
      const headers = bearer(accepted.body.access_token);
      const user = await anybody().call('GET', `/v2/users/${id}`, { headers });
      expect(user.body).to.include({ first_name: 'Grace', last_name: 'H', auth_method: 'email' });
      expectRefused(await accept({ token, password }), 401, 'invalid_credentials');
      const again = await anybody().send('GET', `/v2/users/${id}`, {
        headers: basic(email, password),
      });
      expect(again.status).to.equal(200);
    });

    it('is answered 401 for tokens that are wrong, withdrawn or for another login', async () => {
      const removed = await invited();
      await cast.ours.manager.as.call('DELETE', `/v2/users/${removed.user_id}`);
      const { invitation_token: right } = await invited();
      const wrong = `${right?.slice(0, -4)}AAAA`;
      for (const token of [removed.invitation_token, wrong, 'inv_', '']) {
        expectRefused(await accept({ token, password }), 401, 'invalid_credentials');
      }
      expect((await accept({ token: right, password })).status).to.equal(200);
    });

    it('answers 422 for a password too short, and the token stays good', async () => {
      const { invitation_token: token } = await invited();
      const short = await accept({ token, password: 'short' });
      expectInvalid(short, ['body', 'password'], 'string_too_short');
      const both = await Promise.all([accept({ token, password }), accept({ token, password })]);
      expect(both.map(({ status }) => status)).to.have.members([200, 401]);
    });

    const issue = (
      id: string,
      as: Client = cast.ours.manager.as,
      headers: Record<string, string> = {},
    ): Promise<Reply<{ invitation_token: string; expires_at: string }>> =>
      as.send('POST', `/v2/users/${id}/invitation`, { headers });

    it('lets a user who lost the password in again, and ends the earlier logins', async () => {
      const { invitation_token: first, user_id: id, email } = await invited();
      const login = bearer((await accept({ token: first, password })).body.access_token);
      const { status, body } = await issue(id);
      expect(status).to.equal(200);
      expect(body).to.have.all.keys('invitation_token', 'expires_at');
      const days = (Date.parse(body.expires_at) - Date.now()) / 86_400_000;
      expect(days).to.be.within(6.99, 7);
      const fresh = 'another horse battery';
      // Logins of the user work until the token is used.
      expect((await anybody().send('GET', '/v2/projects', { headers: login })).status).to.equal(
        200,
      );
      const accepted = await accept({ token: body.invitation_token, password: fresh });
      expect(accepted.status, JSON.stringify(accepted.body)).to.equal(200);
      const statusWith = async (headers: Record<string, string>) =>
        (await anybody().send('GET', '/v2/projects', { headers })).status;
      expect(await statusWith(basic(email, password))).to.equal(401);
      expect(await statusWith(basic(email, fresh))).to.equal(200);
      await pollUntil('the login ends', 1_000, async () => (await statusWith(login)) === 401);
      const again = await accept({ token: body.invitation_token, password });
      expectRefused(again, 401, 'invalid_credentials');
    });

    it('replaces a token that was lost before it was used', async () => {
      const { invitation_token: lost, user_id: id } = await invited();
      const { body } = await issue(id);
      expectRefused(await accept({ token: lost, password }), 401, 'invalid_credentials');
      const token = body.invitation_token;
      expect((await accept({ token, password })).status).to.equal(200);
    });

    it('issues tokens to managers, of admins to admins, and of strangers to none', async () => {
      const { user_id: id } = await invited();
      const { ours, theirs } = cast;
      expectRefused(await issue(id, ours.user.as), 403, 'forbidden');
      const admin = await invite({ emails: [someone()], role: 'admin' }, ours.admin.as);
      const adminId = admin.body.invitations[0]?.user_id ?? '';
      expectRefused(await issue(adminId), 403, 'forbidden');
      expect((await issue(adminId, ours.admin.as)).status).to.equal(200);
      expectRefused(await issue(id, theirs.admin.as), 404, 'not_found');
      expectRefused(await issue(randomUUID()), 404, 'not_found');
      await ours.manager.as.call('DELETE', `/v2/users/${id}`);
      expectRefused(await issue(id), 404, 'not_found');
    });

    it('shows no issued token again under the same Idempotency-Key', async () => {
      const { user_id: id } = await invited();
      const key = { 'Idempotency-Key': randomUUID() };
      const first = await issue(id, cast.ours.manager.as, key);
      const again = await issue(id, cast.ours.manager.as, key);
      expect(again.body).to.deep.equal({ ...first.body, invitation_token: '' });
      const { status } = await accept({ token: first.body.invitation_token, password });
      expect(status).to.equal(200);
    });

    it('shows nothing of the login of a removed user', async () => {
      const { invitation_token: token, user_id: id } = await invited();
      const { body } = await accept({ token, password });
      const ask = async () =>
        (await anybody().send('GET', '/v2/projects', { headers: bearer(body.access_token) }))
          .status;
      expect(await ask()).to.equal(200);
      await cast.ours.manager.as.call('DELETE', `/v2/users/${id}`);
      await pollUntil('the token is refused', 1_000, async () => (await ask()) === 401);
    });
  });
});
