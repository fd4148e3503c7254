/** Sends a request and answers its JSON; throws unless it is accepted or its name is taken. */
export type Ask = (method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown) => Promise<Answer>;
type Answer = { readonly status: number; readonly body: unknown };

export const requestVia =
  (baseUrl: string, apiKey: string): Ask =>
  async (method, path, body) => {
    const isForm = body instanceof FormData;
    const answer = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        'Service-API-Key': apiKey,
        ...(!isForm && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
    const said: unknown = await answer.json();
    const nameTaken = answer.status === 409;
    if (!answer.ok && !nameTaken)
      throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(said)}`);
    return { status: answer.status, body: said };
  };

export type NamedObject = {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
};

/** Creates the named object, or returns that of an earlier demo. */
export const createNamed = async (
  ask: Ask,
  path: string,
  body: { readonly name: string } & Readonly<Record<string, unknown>>,
): Promise<NamedObject> => {
  const answer = await ask('POST', path, body);
  if (answer.status === 200) return answer.body as NamedObject;
  const known = (await ask('GET', path)).body as readonly NamedObject[];
  const found = known.find((one) => one.name === body.name);
  if (found === undefined) throw new Error(`${path} has a ${body.name} that is out of sight`);
  return found;
};
