type ImportRule = {
  readonly folders: readonly string[];
  readonly packages: RegExp | null;
  readonly instead: string;
};
/** The layers that a service is made of. */
export const coreLayers = [
  'kernel',
  'events',
  'contract',
  'command-api',
  'projections',
  'query-api',
  'engines',
];
const typebox = /^typebox(\/compile)?$/;
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
    folders: ['kernel', 'events', 'contract'],
    packages: null,
    instead: 'a projection sees events and ports only',
  },
  'query-api': {
    folders: ['kernel', 'contract', 'projections'],
    packages: null,
    instead: 'answer from a projection',
  },
  engines: {
    folders: ['kernel', 'contract', 'events/codec'],
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
    folders: ['kernel', 'events', 'contract', 'command-api', 'projections', 'query-api'],
    packages: null,
    instead: 'take a port: a named query answers from the log and from read models',
  },
  service: {
    folders: [...coreLayers, 'config', 'named-queries'],
    packages: /./,
    instead: 'a service does not know its commands: move what both need into service/',
  },
  tools: {
    folders: ['kernel', 'contract', 'engines', 'config/client-settings'],
    packages: /./,
    instead: 'a tool is a client: it knows the service by HTTP',
  },
  cli: {
    folders: [...coreLayers, 'config', 'named-queries', 'service', 'tools'],
    packages: /./,
    instead: 'main.ts imports cli/',
  },
};
