/**
 * Method name of an operation: `assay.traces.log`, from the tag `Traces` and the operationId
 * `logTraces`. Drops the noun, singular or plural, and a leading `get` or `read` if something
 * remains: `getDatasetContent` of `Datasets` is `content`.
 */
export const methodName = (tag: string, operationId: string): string => {
  const given = exceptions[operationId];
  if (given !== undefined) return given;
  const word = className(tag);
  const places = [
    ...operationId.matchAll(new RegExp(`${singular(word)}(?:s|ies)?(?=[A-Z]|$)`, 'g')),
  ];
  const [place] = places;
  const at = place?.index ?? -1;
  const rest =
    place === undefined || at === 0
      ? operationId
      : operationId.slice(0, at) + operationId.slice(at + place[0].length);
  return uncapitalized(rest.replace(/^(?:get|read)(?=[A-Z])/, ''));
};

/** `Log streams` is `assay.logStreams`, `API keys` is `assay.apiKeys`. */
export const nounName = (tag: string): string =>
  tag
    .split(' ')
    .map((word, index) => (index === 0 ? word.toLowerCase() : capitalized(word)))
    .join('');

/** The class with its methods: `LogStreams`. */
export const className = (tag: string): string => capitalized(nounName(tag));

/** The file of a noun: `log-streams`. */
export const nounFile = (tag: string): string => tag.toLowerCase().replaceAll(' ', '-');

/** Names for which the rule would be misleading. */
const exceptions: Readonly<Record<string, string>> = {
  getOrgJob: 'ofOrganization',
  listRunJobs: 'listOfRun',
  listProjectHistory: 'listOfProject',
  listResourceHistory: 'listOfResource',
  listGroupCollaborators: 'listGroups',
  addGroupCollaborators: 'addGroups',
  historyFeed: 'feed',
  tracesAvailableColumns: 'columns',
  spansAvailableColumns: 'columns',
  sessionsAvailableColumns: 'columns',
  metricsTestingColumns: 'testingColumns',
  customSearch: 'search',
  login: 'withPassword',
  loginWithApiKey: 'withApiKey',
  exportHistory: 'export',
  socialLogin: 'withProvider',
};

/** Polling methods of long operations: they resolve with the final state. */
export const waitMethods: Readonly<Record<string, string>> = {
  getJob: 'wait',
  getOrgJob: 'waitOfOrganization',
  pollScorerValidation: 'waitForValidation',
  readPastScoring: 'waitForPastScoring',
};

const singular = (word: string): string => word.replace(/s$/, '');
const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const uncapitalized = (word: string): string => word.charAt(0).toLowerCase() + word.slice(1);
