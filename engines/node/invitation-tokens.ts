import { createHmac, randomBytes } from 'node:crypto';
import type { UserId } from '../../kernel/schema-types.js';
import type { InvitationTokens } from '../../kernel/credentials.js';

const form = /^inv_[0-9A-Za-z_-]{64}$/;
const prefixLength = 4;

export const invitationTokens = (pepper: Uint8Array): InvitationTokens => ({
  mint: (user) => {
    const id = Buffer.from(user.replaceAll('-', ''), 'hex');
    return `inv_${Buffer.concat([id, randomBytes(32)]).toString('base64url')}`;
  },
  hash: (token) => createHmac('sha256', pepper).update(token).digest('hex'),
  userOf: (token) => {
    if (!form.test(token)) return null;
    const hex = Buffer.from(token.slice(prefixLength), 'base64url').toString('hex', 0, 16);
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') as UserId;
  },
});
