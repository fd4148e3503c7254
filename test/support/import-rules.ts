type ImportRule = {
  readonly folders: readonly string[];
  readonly packages: RegExp | null;
  readonly instead: string;
};
/** Layers that touch nothing outside of them. */
const pureLayers = ['kernel', 'events', 'contract', 'command-api', 'projections', 'query-api'];
/** The layers that a service is made of. */
export const coreLayers = [...pureLayers, 'engines'];
const typebox = /^typebox(\/compile)?$/;
const ledgerReads = ['kernel', 'events', 'contract', 'command-api/facts', 'projections'];
/** The rooms of the ledger: each is what a layer is. */
const ledgerRules: Readonly<Record<string, ImportRule>> = {
  'ledger/chain': { folders: ['kernel'], packages: null, instead: 'a proof knows only shapes' },
  'ledger/fold': {
    folders: ['kernel', 'events', 'contract', 'projections', 'ledger/chain', 'ledger/collection'],
    packages: null,
    instead: 'a fold sees events and ports only',
  },
  'ledger/seals': {
    folders: ['kernel', 'events', 'contract', 'command-api', 'ledger/chain'],
    packages: null,
    instead: 'a decision reads the log',
  },
  'ledger/reads': {
    folders: [...ledgerReads, 'query-api', 'ledger'],
    packages: null,
    instead: 'take a port',
  },
  'ledger/exports': { folders: [...ledgerReads, 'ledger'], packages: null, instead: 'take a port' },
  'ledger/audit': {
    folders: [...coreLayers, 'config', 'ledger', 'service', 'tools', 'cli'],
    packages: /./,
    instead: 'ledger/audit.ts imports its commands',
  },
  ledger: {
    folders: [...coreLayers, 'config.ts', 'config', 'service/log-reader'],
    packages: /./,
    instead: 'take a port: the ledger is a part of a service',
  },
};
/** The table of STYLE.md, Imports: the imports that each folder may have. */
export const importRules: Readonly<Record<string, ImportRule>> = {
  kernel: {
    folders: [],
    packages: typebox,
    instead: 'move the word into kernel/ or take it as a port',
  },
  events: { folders: ['kernel'], packages: typebox, instead: 'an event knows only shapes' },
  contract: { folders: ['kernel'], packages: typebox, instead: 'the contract knows only shapes' },
  'command-api': {
    folders: ['kernel', 'events', 'contract'],
    packages: null,
    instead: 'take a named question in Needs, answered from the log',
  },
  projections: {
    folders: ['kernel', 'events', 'contract', 'ledger/chain'],
    packages: null,
    instead: 'a projection sees events and ports only',
  },
  'query-api': {
    folders: ['kernel', 'contract', 'projections'],
    packages: null,
    instead: 'answer from a projection',
  },
  engines: {
    folders: ['kernel', 'contract', 'events/codec', 'ledger/chain'],
    packages: /./,
    instead: 'engines know ports, never a noun of the service',
  },
  'config.ts': {
    folders: ['config', 'kernel', 'contract'],
    packages: /^node:net$/,
    instead: 'settings know only shapes',
  },
  config: { folders: ['kernel', 'contract'], packages: null, instead: 'settings know only shapes' },
  'named-queries': {
    folders: [...pureLayers, 'ledger/as-of-position', 'ledger/chain'],
    packages: null,
    instead: 'take a port: a named query answers from the log and from read models',
  },
  ...ledgerRules,
  service: {
    folders: [...coreLayers, 'config', 'named-queries', 'ledger'],
    packages: /./,
    instead: 'a service does not know its commands: move what both need into service/',
  },
  tools: {
    folders: ['kernel', 'contract', 'engines', 'config/client-settings'],
    packages: /./,
    instead: 'a tool is a client: it knows the service by HTTP',
  },
  cli: {
    folders: [...coreLayers, 'config', 'named-queries', 'ledger', 'service', 'tools'],
    packages: /./,
    instead: 'main.ts imports cli/',
  },
};
