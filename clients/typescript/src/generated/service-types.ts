// Written by npm run client:typescript from the contract: change that.

export type HealthcheckResponse = {
  readonly api_version: 'v2';
  readonly message: 'ok';
  readonly version: string;
};

export type ReadDescriptionResponse = Readonly<Record<string, unknown>>;
