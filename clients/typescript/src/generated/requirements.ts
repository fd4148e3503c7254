// Written by npm run generate from the contract: change that.
/** Requirement of each operation that reads (contract 2.6), by noun and method. */
export type ReadRequirements = {
  readonly traces: {
    readonly search: 'viewer';
    readonly count: 'viewer';
    readonly export: 'viewer';
    readonly get: 'viewer';
    readonly columns: 'viewer';
  };
  readonly spans: {
    readonly search: 'viewer';
    readonly count: 'viewer';
    readonly export: 'viewer';
    readonly get: 'viewer';
    readonly columns: 'viewer';
  };
  readonly sessions: {
    readonly search: 'viewer';
    readonly count: 'viewer';
    readonly export: 'viewer';
    readonly get: 'viewer';
    readonly columns: 'viewer';
  };
  readonly metrics: { readonly search: 'viewer'; readonly testingColumns: 'viewer' };
  readonly projects: {
    readonly list: 'signed-in';
    readonly listAll: 'signed-in';
    readonly page: 'signed-in';
    readonly get: 'viewer';
    readonly priceList: 'viewer';
    readonly shippedPriceList: 'signed-in';
    readonly matchModelPrice: 'viewer';
    readonly listUnpricedModels: 'viewer';
  };
  readonly collaborators: { readonly list: 'viewer'; readonly listGroups: 'viewer' };
  readonly logStreams: {
    readonly list: 'viewer';
    readonly page: 'viewer';
    readonly search: 'viewer';
    readonly get: 'viewer';
    readonly insightsSettings: 'viewer';
  };
  readonly experiments: {
    readonly list: 'viewer';
    readonly page: 'viewer';
    readonly search: 'viewer';
    readonly get: 'viewer';
    readonly compare: 'viewer';
    readonly rankingCriteria: 'viewer';
    readonly listTags: 'viewer';
  };
  readonly datasets: {
    readonly list: 'signed-in';
    readonly query: 'signed-in';
    readonly get: 'dataset-read';
    readonly listProjects: 'dataset-read';
    readonly content: 'dataset-read';
    readonly queryVersions: 'dataset-read';
    readonly versionContent: 'dataset-read';
    readonly exportContent: 'dataset-read';
  };
  readonly prompts: {
    readonly queryTemplates: 'signed-in';
    readonly listProjectTemplates: 'viewer';
    readonly versionByName: 'viewer';
    readonly template: 'prompt-read';
    readonly version: 'prompt-read';
    readonly versionOfProject: 'prompt-read';
    readonly queryVersions: 'prompt-read';
    readonly queryVersionsOfProject: 'prompt-read';
  };
  readonly annotations: {
    readonly listTemplates: 'viewer';
    readonly template: 'viewer';
    readonly rating: 'viewer';
  };
  readonly views: { readonly list: 'viewer'; readonly get: 'viewer' };
  readonly scorers: {
    readonly pollValidation: 'scorer-task';
    readonly waitForValidation: 'scorer-task';
    readonly list: 'signed-in';
    readonly get: 'signed-in';
    readonly code: 'signed-in';
    readonly listVersions: 'signed-in';
    readonly settings: 'viewer';
    readonly pastScoring: 'viewer';
    readonly waitForPastScoring: 'viewer';
  };
  readonly integrations: {
    readonly list: 'person';
    readonly listProviders: 'person';
    readonly get: 'person';
  };
  readonly models: { readonly access: 'viewer' };
  readonly jobs: {
    readonly get: 'scorer-job';
    readonly wait: 'scorer-job';
    readonly listOfRun: 'viewer';
    readonly ofOrganization: 'org-job';
    readonly waitOfOrganization: 'org-job';
  };
  readonly users: {
    readonly search: 'person';
    readonly get: 'person';
    readonly listRoles: 'signed-in';
    readonly listGroupRoles: 'signed-in';
    readonly listCollaboratorRoles: 'signed-in';
  };
  readonly groups: {
    readonly listOwn: 'person';
    readonly list: 'person';
    readonly get: 'group-sight';
    readonly listMembers: 'group-sight';
  };
  readonly apiKeys: { readonly list: 'self' };
  readonly logins: { readonly currentUser: 'signed-in' };
  readonly history: {
    readonly listOfProject: 'audit-project';
    readonly list: 'audit-org';
    readonly verify: 'audit-org';
    readonly listOfResource: 'audit-resource';
  };
  readonly historyExports: {
    readonly export: 'audit-resource';
    readonly feed: 'audit-org';
    readonly certifyErasure: 'audit-org';
  };
  readonly seals: {
    readonly checkpoint: 'audit-org';
    readonly list: 'audit-org';
    readonly listSealingKeys: 'public';
    readonly proveEntry: 'audit-resource';
    readonly proveConsistency: 'audit-org';
  };
  readonly service: { readonly healthcheck: 'public'; readonly description: 'public' };
};

/** Requirement of each operation that writes (contract 2.6), by noun and method. */
export type WriteRequirements = {
  readonly traces: { readonly log: 'editor'; readonly update: 'editor'; readonly delete: 'owner' };
  readonly spans: { readonly log: 'editor'; readonly update: 'editor' };
  readonly sessions: { readonly create: 'editor'; readonly delete: 'owner' };
  readonly metrics: {};
  readonly projects: {
    readonly create: 'user';
    readonly change: 'owner';
    readonly delete: 'owner';
    readonly setPriceList: 'editor';
  };
  readonly collaborators: {
    readonly add: 'owner';
    readonly change: 'owner';
    readonly remove: 'owner';
    readonly addGroups: 'owner';
    readonly changeGroup: 'owner';
    readonly removeGroup: 'owner';
  };
  readonly logStreams: {
    readonly create: 'editor';
    readonly rename: 'editor';
    readonly delete: 'owner';
    readonly changeInsightsSettings: 'editor';
  };
  readonly experiments: {
    readonly create: 'editor';
    readonly change: 'editor';
    readonly delete: 'editor';
    readonly setRankingCriteria: 'editor';
    readonly chooseWinner: 'editor';
    readonly withdrawWinner: 'editor';
    readonly tag: 'editor';
    readonly changeTag: 'editor';
    readonly untag: 'editor';
  };
  readonly datasets: {
    readonly create: 'creator';
    readonly change: 'dataset-write';
    readonly link: 'dataset-read';
    readonly unlink: 'dataset-read';
    readonly delete: 'dataset-write';
    readonly editContent: 'dataset-write';
    readonly replaceContent: 'dataset-write';
    readonly appendRecords: 'dataset-write';
  };
  readonly prompts: {
    readonly createTemplate: 'creator';
    readonly createProjectTemplate: 'editor';
    readonly renameTemplate: 'prompt-write';
    readonly deleteTemplate: 'prompt-write';
    readonly addVersion: 'prompt-write';
    readonly addVersionOfProject: 'prompt-write';
    readonly selectVersion: 'prompt-write';
    readonly selectVersionOfProject: 'prompt-write';
    readonly labelVersion: 'prompt-write';
    readonly unlabelVersion: 'prompt-write';
  };
  readonly annotations: {
    readonly createTemplate: 'editor';
    readonly reorderTemplates: 'editor';
    readonly changeTemplate: 'editor';
    readonly deleteTemplate: 'editor';
    readonly rateTraces: 'annotator';
    readonly giveRating: 'annotator';
    readonly withdrawRating: 'annotator';
  };
  readonly views: {
    readonly create: 'view-write';
    readonly change: 'view-write';
    readonly delete: 'view-write';
  };
  readonly scorers: {
    readonly validateOnDataset: 'signed-in';
    readonly validate: 'creator';
    readonly create: 'creator';
    readonly change: 'scorer-owner';
    readonly delete: 'scorer-owner';
    readonly addVersion: 'scorer-owner';
    readonly setSettings: 'editor';
    readonly changeSettings: 'editor';
    readonly scorePast: 'editor';
    readonly cancelPastScoring: 'editor';
  };
  readonly integrations: {
    readonly configure: 'person';
    readonly delete: 'person';
    readonly select: 'person';
    readonly disable: 'person';
    readonly test: 'person';
  };
  readonly models: {
    readonly setAccess: 'owner';
    readonly lendIntegration: 'lender';
    readonly endIntegrationLending: 'lender';
  };
  readonly jobs: { readonly deleteByMetadata: 'admin' };
  readonly users: {
    readonly change: 'self';
    readonly remove: 'manager';
    readonly invite: 'manager';
    readonly issueInvitation: 'manager';
    readonly acceptInvitation: 'public';
  };
  readonly groups: {
    readonly create: 'user';
    readonly change: 'maintainer';
    readonly delete: 'maintainer';
    readonly addMembers: 'group-sight';
    readonly changeMember: 'maintainer';
    readonly removeMember: 'group-sight';
  };
  readonly apiKeys: { readonly create: 'api-key'; readonly revoke: 'self' };
  readonly logins: {
    readonly withProvider: 'public';
    readonly refreshToken: 'cookie';
    readonly withPassword: 'public';
    readonly withApiKey: 'public';
    readonly logout: 'cookie';
    readonly changePassword: 'person';
  };
  readonly history: {};
  readonly historyExports: {};
  readonly seals: {};
  readonly service: {};
};
