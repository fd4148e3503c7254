import { sign as signed } from 'node:crypto';
import {
  ecKey,
  encoded,
  hmacWith,
  jws,
  rsaKey,
  signerOf,
  type Issuer,
  type SigningKey,
} from './oidc-issuer.js';

/** Defect of a token, and the token. */
type Forgery = readonly [string, string];

/**
 * Tokens that must be refused, beside a valid one: `rsa` and `ec` are keys that the issuer
 * publishes and could sign with, the others are the attacker's.
 */
export const forgeries = (issuer: Issuer): readonly Forgery[] => {
  const [rsa, ec] = issuer.keys as unknown as readonly [SigningKey, SigningKey];
  return [
    ...withoutSignature(issuer, rsa),
    ...withWrongAlgorithm(issuer, rsa, ec),
    ...withOwnKeys(issuer, rsa),
    ...withOddKeyIds(issuer, rsa, ec),
    ...withOddHeaders(issuer, rsa),
    ...withWrongClaims(issuer),
    ...withWrongTimes(issuer),
    ...outOfForm(issuer, rsa, ec),
  ];
};

const headerOf = ({ algorithm, id }: SigningKey, more: object = {}) => ({
  alg: algorithm,
  typ: 'JWT',
  kid: id,
  ...more,
});

const withoutSignature = (issuer: Issuer, rsa: SigningKey): readonly Forgery[] =>
  ['none', 'None', 'nOnE', 'NONE', '', null, undefined, ['none']].flatMap((alg) => {
    const header = headerOf(rsa, { alg });
    const what = `alg ${JSON.stringify(alg)}`;
    return [
      [what, jws(header, issuer.claims())],
      [`${what} with some signature`, jws(header, issuer.claims(), () => Buffer.from('x'))],
      [`${what} rightly signed`, jws(header, issuer.claims(), signerOf(rsa))],
    ] as const;
  });

const withWrongAlgorithm = (
  issuer: Issuer,
  rsa: SigningKey,
  ec: SigningKey,
): readonly Forgery[] => {
  const pem = (key: SigningKey) => key.public.export({ format: 'pem', type: 'spki' });
  const jwk = rsa.public.export({ format: 'jwk' });
  const hmac = (secret: string | Buffer, alg = 'HS256', kid = rsa.id) =>
    jws({ alg, typ: 'JWT', kid }, issuer.claims(), hmacWith(secret, `sha${alg.slice(2)}`));
  const own = (alg: string, hash: string) =>
    jws(headerOf(rsa, { alg }), issuer.claims(), signerOf(rsa, hash));
  return [
    ['HS256 with the public key as PEM', hmac(pem(rsa))],
    ['HS384 with the public key as PEM', hmac(pem(rsa), 'HS384')],
    ['HS512 with the public key as PEM', hmac(pem(rsa), 'HS512')],
    ['HS256 with the public key as JWK', hmac(JSON.stringify(jwk))],
    ['HS256 with the modulus', hmac(Buffer.from(jwk.n ?? '', 'base64url'))],
    ['HS256 with the public key of ES256', hmac(pem(ec), 'HS256', ec.id)],
    ['HS256 with an empty secret', hmac('')],
    ['RS384, rightly signed', own('RS384', 'sha384')],
    ['RS512, rightly signed', own('RS512', 'sha512')],
    [
      'PS256 where it is not allowed',
      jws(
        headerOf(rsa, { alg: 'PS256' }),
        issuer.claims(),
        signerOf({ ...rsa, algorithm: 'PS256' }),
      ),
    ],
    ['RS1', own('RS1', 'sha1')],
    ['ES256 under the id of an RSA key', issuer.token(issuer.claims(), ec, { kid: rsa.id })],
    ['RS256 under the id of an EC key', issuer.token(issuer.claims(), rsa, { kid: ec.id })],
    ['EdDSA', jws(headerOf(rsa, { alg: 'EdDSA' }), issuer.claims(), () => Buffer.alloc(64, 1))],
  ];
};

const withOwnKeys = (issuer: Issuer, rsa: SigningKey): readonly Forgery[] => {
  const own = rsaKey('rsa-1');
  const point = ecKey('ec-1');
  const jwk = { ...own.public.export({ format: 'jwk' }), kid: 'own', alg: 'RS256' };
  const by = (header: object, key: SigningKey = own) => issuer.token(issuer.claims(), key, header);
  return [
    ['signed by a stranger', by({})],
    ['signed by a stranger with ES256', by({}, point)],
    ['signed by a stranger, without a key id', by({ kid: undefined })],
    ['an embedded key', by({ jwk })],
    ['an embedded key under its own id', by({ jwk, kid: 'own' })],
    ['an embedded key without a key id', by({ jwk, kid: undefined })],
    ['a key address', by({ jku: `${issuer.url}/keys`, kid: 'own' })],
    ['a certificate address', by({ x5u: `${issuer.url}/keys`, kid: 'own' })],
    ['an embedded certificate', by({ x5c: ['MIIB'], kid: 'own' })],
    ['a certificate digest', by({ x5t: 'x', 'x5t#S256': 'x', kid: rsa.id })],
  ];
};

const withOddKeyIds = (issuer: Issuer, rsa: SigningKey, ec: SigningKey): readonly Forgery[] => {
  const odd: readonly unknown[] = [
    '../../../../dev/null',
    '/dev/null',
    'file:///etc/passwd',
    "' OR '1'='1",
    '__proto__',
    'constructor',
    `${rsa.id}\u0000`,
    ` ${rsa.id}`,
    rsa.id.toUpperCase(),
    'x'.repeat(8_000),
    '',
    null,
    0,
    true,
    [rsa.id],
    { id: rsa.id },
  ];
  return [
    ...odd.map(
      (kid) =>
        [
          `key id ${JSON.stringify(kid).slice(0, 40)}`,
          issuer.token(issuer.claims(), rsa, { kid }),
        ] as const,
    ),
    [
      'no key id where there are two of the algorithm',
      issuer.token(issuer.claims(), rsa, { kid: undefined }),
    ],
    ['a key id of nobody', issuer.token(issuer.claims(), ec, { kid: 'ec-9' })],
  ];
};

const withOddHeaders = (issuer: Issuer, rsa: SigningKey): readonly Forgery[] =>
  [
    { crit: ['b64'], b64: false },
    { crit: ['exp'] },
    { crit: [] },
    { b64: false },
    { b64: true },
    { zip: 'DEF' },
    { enc: 'A256GCM' },
    { typ: 'at+jwt' },
    { typ: 'JOSE' },
    { typ: 'logout+jwt' },
    { typ: 7 },
    { typ: null },
  ].map((more) => [`header ${JSON.stringify(more)}`, issuer.token(issuer.claims(), rsa, more)]);

const withWrongClaims = (issuer: Issuer): readonly Forgery[] =>
  [
    { iss: undefined },
    { iss: 'https://elsewhere.example' },
    { iss: `${issuer.url}/` },
    { iss: issuer.url.toUpperCase() },
    { iss: [issuer.url] },
    { iss: 7 },
    { aud: undefined },
    { aud: 'another-client' },
    { aud: `${issuer.clientId}2` },
    { aud: [] },
    { aud: ['another-client'] },
    { aud: [issuer.clientId, 'another-client'] },
    { aud: { [issuer.clientId]: true } },
    { aud: 7 },
    { azp: 'another-client' },
    { azp: '' },
    { azp: [issuer.clientId] },
    { aud: [issuer.clientId, 'another-client'], azp: 'another-client' },
    { sub: undefined },
    { sub: '' },
    { sub: 7 },
    { sub: 'x'.repeat(256) },
  ].map((more) => [`claims ${JSON.stringify(more)}`, issuer.token(issuer.claims(more))]);

const withWrongTimes = (issuer: Issuer): readonly Forgery[] => {
  const now = Math.floor(Date.now() / 1_000);
  return [
    { exp: undefined },
    { exp: now - 90 },
    { exp: String(now + 300) },
    { exp: null },
    { exp: 0 },
    { exp: -1 },
    { iat: undefined },
    { iat: now - 690 },
    { iat: now + 90 },
    { iat: String(now) },
    { iat: null },
    { nbf: now + 90 },
    { nbf: 'soon' },
  ].map((more) => [`times ${JSON.stringify(more)}`, issuer.token(issuer.claims(more))]);
};

const outOfForm = (issuer: Issuer, rsa: SigningKey, ec: SigningKey): readonly Forgery[] => {
  const good = issuer.token(issuer.claims());
  const other = issuer.token(issuer.claims({ sub: 'subject-2' }));
  const [head = '', body = '', signature = ''] = good.split('.');
  const point = issuer.token(issuer.claims(), ec);
  const [pointHead = '', pointBody = ''] = point.split('.');
  const der = signed('sha256', Buffer.from(`${pointHead}.${pointBody}`), ec.private);
  const raw = (header: string, payload: string) => jws(header, payload, signerOf(rsa));
  const header = JSON.stringify(headerOf(rsa));
  const claims = JSON.stringify(issuer.claims());
  return [
    ['nothing', '.'],
    ['dots', '..'],
    ['two parts', `${head}.${body}`],
    ['four parts', `${good}.x`],
    ['five parts, as encrypted ones have', `${head}.x.x.x.x`],
    [
      'JSON in place of the compact form',
      JSON.stringify({ protected: head, payload: body, signature }),
    ],
    ['a line break', `${head}.${body}\n.${signature}`],
    ['a space in front', ` ${good}`],
    ['padding', `${good}=`],
    ['another alphabet', `${head}.${body}.${signature.replaceAll('-', '+').replaceAll('_', '/')}+`],
    ['spare bits', `${good.slice(0, -1)}${nextLetter(good.at(-1) ?? 'A')}`],
    ['no signature', `${head}.${body}.`],
    ['half a signature', `${head}.${body}.${signature.slice(0, 170)}`],
    ['the signature of another token', `${head}.${body}.${other.split('.')[2]}`],
    ['the claims of another token', `${head}.${other.split('.')[1]}.${signature}`],
    ['a signature of zeros', `${head}.${body}.${encodedZeros(256)}`],
    ['an ES256 signature of zeros', `${pointHead}.${pointBody}.${encodedZeros(64)}`],
    ['an ES256 signature in DER', `${pointHead}.${pointBody}.${der.toString('base64url')}`],
    ['the header twice in one', raw(`${header.slice(0, -1)},"alg":"RS256"}`, claims)],
    ['a claim twice', raw(header, `${claims.slice(0, -1)},"email":"admin@localhost"}`)],
    ['an escaped claim twice', raw(header, `{"\\u0073ub":"admin",${claims.slice(1)}`)],
    ['a list as claims', raw(header, `[${claims}]`)],
    ['a text as claims', raw(header, '"claims"')],
    ['null as claims', raw(header, 'null')],
    ['no JSON as claims', raw(header, claims.slice(1))],
    ['a list as header', raw(`[${header}]`, claims)],
    [
      'claims that are no UTF-8',
      `${encoded(header)}.${Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url')}.${signature}`,
    ],
    ['16,000 characters of nothing', 'a.'.repeat(8_000)],
    ['16,000 characters of brackets', raw(header, '['.repeat(9_000))],
  ];
};

const encodedZeros = (bytes: number): string => Buffer.alloc(bytes).toString('base64url');
const nextLetter = (letter: string): string => String.fromCharCode(letter.charCodeAt(0) + 1);
