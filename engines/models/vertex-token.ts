import { importPKCS8, SignJWT } from 'jose';
import { jsonOf, notCallable, objectOf, textAt, type NotCallable } from './configuration.js';
import type { Fetch } from './recording-fetch.js';

/** The exchange is at this address whatever the key file says: a file is written by its owner. */
const tokenUrl = 'https://oauth2.googleapis.com/token';
const scope = 'https://www.googleapis.com/auth/cloud-platform';
const lifetime = '10m';

type ServiceAccount = {
  readonly email: string;
  readonly privateKey: string;
  readonly project: string;
};

/** Service account in the text of a key file. */
export const serviceAccountOf = (text: string): ServiceAccount | NotCallable => {
  const parsed = jsonOf(text);
  if (parsed === undefined)
    return notCallable('The token of the integration is not the JSON of a service account');
  const file = objectOf(parsed);
  const [email, privateKey] = [textAt(file, 'client_email'), textAt(file, 'private_key')];
  const project = textAt(file, 'project_id');
  return email === null || privateKey === null || project === null
    ? notCallable('The service account has no client_email, private_key or project_id')
    : { email, privateKey, project };
};

/**
 * Wraps `fetch` for Vertex AI: exchanges a signed assertion for an access token before the request.
 * A refused exchange is answered as the provider's response. `onToken` learns the access token, a
 * credential too.
 */
export const vertexFetch =
  (fetch: Fetch, { email, privateKey }: ServiceAccount, onToken: (token: string) => void): Fetch =>
  async (input, init) => {
    const assertion = await new SignJWT({ scope })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .setIssuer(email)
      .setAudience(tokenUrl)
      .setIssuedAt()
      .setExpirationTime(lifetime)
      .sign(await importPKCS8(privateKey, 'RS256'));
    onToken(assertion);
    const exchanged = await fetch(tokenUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion,
      }).toString(),
      signal: init?.signal ?? null,
    });
    // Google answers 400 for a key that it does not accept.
    if (exchanged.status === 400 || exchanged.status === 401)
      return new Response('{}', { status: 401 });
    if (!exchanged.ok) return exchanged;
    const { access_token: token } = (await exchanged.json()) as { readonly access_token?: string };
    if (token === undefined) return new Response('{}', { status: 401 });
    onToken(token);
    const headers = new Headers(init?.headers);
    headers.delete('x-goog-api-key');
    headers.set('authorization', `Bearer ${token}`);
    return fetch(input, { ...init, headers });
  };
