// Written by npm run generate from the contract: change that.

export type HealthcheckResponse = {
  /** Prefix of the paths: `v2`. */
  readonly api_version: 'v2';
  /** Always `ok`: the process answers. */
  readonly message: 'ok';
  /** Version of this description. */
  readonly version: string;
};

export type ReadDescriptionResponse = Readonly<Record<string, unknown>>;
