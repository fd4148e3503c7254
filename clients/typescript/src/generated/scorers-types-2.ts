// Written by npm run client:typescript from the contract: change that.

export type ValidateScorerResponse = { readonly task_id: string };
