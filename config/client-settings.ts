/** Address and credentials for commands that use a service like clients do. */
export type ClientSettings = {
  readonly url: string;
  readonly apiKey: string | null;
  /** Name or id of the default project. */
  readonly project: string | null;
};

export const clientVariables = [
  {
    name: 'ASSAY_URL',
    fallback: 'http://localhost:8080',
    meaning: 'for commands and clients, not for the service: address of the service',
  },
  {
    name: 'ASSAY_API_KEY',
    fallback: 'none',
    meaning: 'for commands and clients, not for the service: an API key',
    secret: true,
  },
  {
    name: 'ASSAY_PROJECT',
    fallback: 'none',
    meaning: 'for commands and clients, not for the service: name or id of a project',
  },
] as const;

export const readClientSettings = (
  environment: Readonly<Record<string, string | undefined>>,
): ClientSettings => {
  const text = (name: string): string | null => environment[name]?.trim() || null;
  return {
    url: text('ASSAY_URL') ?? 'http://localhost:8080',
    apiKey: text('ASSAY_API_KEY'),
    project: text('ASSAY_PROJECT'),
  };
};
