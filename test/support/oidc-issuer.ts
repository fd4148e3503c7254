import { createHmac, generateKeyPairSync, sign as signed, type KeyObject } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Behaviours of a provider's key endpoint. */
type IssuerBehaviour = 'well' | 'down' | 'slow' | 'redirecting' | 'huge' | 'nonsense';
export type SigningKey = {
  readonly id: string;
  readonly algorithm: 'RS256' | 'PS256' | 'ES256';
  readonly private: KeyObject;
  readonly public: KeyObject;
  /** Further members of the key in the published set. */
  readonly members?: Readonly<Record<string, unknown>>;
};
export type Issuer = {
  readonly url: string;
  readonly clientId: string;
  /** The first is an RSA key; added keys are published, and sign when named. */
  readonly keys: SigningKey[];
  /** Number of requests for the keys. */
  readonly keyRequests: () => number;
  readonly behave: (mood: IssuerBehaviour) => void;
  /** Claims of a token that is good now, `seconds` after the wall clock. */
  readonly claims: (more?: object, seconds?: number) => Readonly<Record<string, unknown>>;
  readonly token: (claims: object, key?: SigningKey, header?: object) => string;
  readonly close: () => Promise<void>;
};

export const rsaKey = (id: string, bits = 2_048, members: object = {}): SigningKey => ({
  ...named(generateKeyPairSync('rsa', { modulusLength: bits })),
  id,
  algorithm: 'RS256',
  members: { ...members },
});
export const ecKey = (id: string): SigningKey => ({
  ...named(generateKeyPairSync('ec', { namedCurve: 'P-256' })),
  id,
  algorithm: 'ES256',
});
const named = (pair: { readonly privateKey: KeyObject; readonly publicKey: KeyObject }) => ({
  private: pair.privateKey,
  public: pair.publicKey,
});

export const encoded = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** Signs any header and payload, given as text or as values. */
export const jws = (
  header: unknown,
  payload: unknown,
  sign: (input: string) => Buffer = () => Buffer.alloc(0),
): string => {
  const input = `${encoded(header)}.${encoded(payload)}`;
  return `${input}.${sign(input).toString('base64url')}`;
};

export const signerOf =
  ({ algorithm, private: key }: SigningKey, hash = 'sha256') =>
  (input: string): Buffer => {
    const bytes = Buffer.from(input);
    if (algorithm === 'ES256') return signed(hash, bytes, { key, dsaEncoding: 'ieee-p1363' });
    // 6 is RSA-PSS and 32 the length of its salt (RFC 7518, 3.5).
    return algorithm === 'PS256'
      ? signed(hash, bytes, { key, padding: 6, saltLength: 32 })
      : signed(hash, bytes, key);
  };
export const hmacWith =
  (secret: string | Buffer, hash = 'sha256') =>
  (input: string): Buffer =>
    createHmac(hash, secret).update(input).digest();

/**
 * A real OpenID Connect provider in this process: its own keys, published over HTTP beside the
 * discovery document.
 */
export const startIssuer = async (): Promise<Issuer> => {
  const usual = rsaKey('rsa-1');
  const keys = [usual, ecKey('ec-1')];
  let asked = 0;
  let mood: IssuerBehaviour = 'well';
  const server = createServer((request, response) => {
    if (request.url === '/.well-known/openid-configuration') {
      response.end(JSON.stringify({ issuer: url, jwks_uri: `${url}/keys` }));
      return;
    }
    if (request.url !== '/keys') return void response.writeHead(404).end();
    asked += 1;
    behaviours[mood](response, () => JSON.stringify({ keys: keys.map(publishedKey) }));
  });
  const url = await listenOnLoopback(server);
  const clientId = 'assay-client';
  return {
    url,
    clientId,
    keys,
    keyRequests: () => asked,
    behave: (next) => {
      mood = next;
    },
    claims: (more = {}, seconds = 0) => {
      const now = Math.floor(Date.now() / 1_000) + seconds;
      const whole = { iss: url, aud: clientId, sub: 'subject-1', iat: now, exp: now + 300 };
      return { ...whole, email: 'ada@example.org', email_verified: true, ...more };
    },
    token: (claims, key = usual, header = {}) => {
      const { algorithm, id } = key;
      return jws({ alg: algorithm, typ: 'JWT', kid: id, ...header }, claims, signerOf(key));
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
};

const behaviours: Readonly<
  Record<IssuerBehaviour, (response: ServerResponse, set: () => string) => void>
> = {
  well: (response, set) => response.end(set()),
  down: (response) => response.writeHead(503).end(),
  slow: () => undefined,
  redirecting: (response) => response.writeHead(302, { Location: '/keys' }).end(),
  huge: (response, set) => response.end(`${set().slice(0, -1)},"pad":"${'x'.repeat(300_000)}"}`),
  nonsense: (response) => response.end('[1, 2]'),
};

const publishedKey = ({ id, algorithm, public: key, members }: SigningKey) => ({
  ...key.export({ format: 'jwk' }),
  kid: id,
  alg: algorithm,
  use: 'sig',
  ...members,
});

const listenOnLoopback = (server: Server): Promise<string> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    );
  });
