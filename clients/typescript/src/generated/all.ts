// Written by npm run generate from the contract: change that.
import type { Call } from '../call.js';
import { Traces } from './traces.js';
import { Spans } from './spans.js';
import { Sessions } from './sessions.js';
import { Metrics } from './metrics.js';
import { Projects } from './projects.js';
import { Collaborators } from './collaborators.js';
import { LogStreams } from './log-streams.js';
import { Experiments } from './experiments.js';
import { Datasets } from './datasets.js';
import { Prompts } from './prompts.js';
import { Annotations } from './annotations.js';
import { Views } from './views.js';
import { Scorers } from './scorers.js';
import { Integrations } from './integrations.js';
import { Models } from './models.js';
import { Jobs } from './jobs.js';
import { Users } from './users.js';
import { Groups } from './groups.js';
import { ApiKeys } from './api-keys.js';
import { Logins } from './logins.js';
import { History } from './history.js';
import { HistoryExports } from './history-exports.js';
import { Seals } from './seals.js';
import { Service } from './service.js';

/** Every operation of the service, under its noun. */
export class Nouns {
  /** One run of an application each, with its spans: logged, changed, read, deleted. */
  readonly traces: Traces;

  /** The steps of a trace: calls of models, retrievers and tools, workflows, agents. */
  readonly spans: Spans;

  /** Traces that belong to one conversation. */
  readonly sessions: Sessions;

  /** Measurements, over time and by group. */
  readonly metrics: Metrics;

  /** Containers of everything else; the role in a project determines access. */
  readonly projects: Projects;

  /** Users and groups that a project is shared with, each with a role. */
  readonly collaborators: Collaborators;

  /** Runs that a live application logs into. */
  readonly logStreams: LogStreams;

  /** Runs that are compared with each other, ranked and tagged. */
  readonly experiments: Experiments;

  /** Tables of inputs and expected outputs; every change of content is a version. */
  readonly datasets: Datasets;

  /** Prompt templates with their versions and labels. */
  readonly prompts: Prompts;

  /** Templates that say how people rate traces, and the ratings. */
  readonly annotations: Annotations;

  /** Saved views of pages, private to a user or shared with the project. */
  readonly views: Views;

  /** Code that scores records, its versions and its validation. */
  readonly scorers: Scorers;

  /** A user's access to providers of models; secrets never come back. */
  readonly integrations: Integrations;

  /**
   * Models that a project may call: integrations that are lent to it, and its budgets.
   */
  readonly models: Models;

  /** Work in the background: of a run, or of the whole organisation. */
  readonly jobs: Jobs;

  /** People of the organisation, their roles and their invitations. */
  readonly users: Users;

  /** Users who share their project roles. */
  readonly groups: Groups;

  /** Credentials of programs, with the rights of their creator or fewer. */
  readonly apiKeys: ApiKeys;

  /** Access tokens for people: by password, provider, key or refresh cookie. */
  readonly logins: Logins;

  /**
   * Audit log: what happened, who did it, and a hash chain that proves it unchanged.
   */
  readonly history: History;

  /** The history in forms that others check and collect. */
  readonly historyExports: HistoryExports;

  /** Signed states of the history, and proofs that need no trust in the service. */
  readonly seals: Seals;

  /** The service itself. */
  readonly service: Service;

  constructor(call: Call) {
    this.traces = new Traces(call);
    this.spans = new Spans(call);
    this.sessions = new Sessions(call);
    this.metrics = new Metrics(call);
    this.projects = new Projects(call);
    this.collaborators = new Collaborators(call);
    this.logStreams = new LogStreams(call);
    this.experiments = new Experiments(call);
    this.datasets = new Datasets(call);
    this.prompts = new Prompts(call);
    this.annotations = new Annotations(call);
    this.views = new Views(call);
    this.scorers = new Scorers(call);
    this.integrations = new Integrations(call);
    this.models = new Models(call);
    this.jobs = new Jobs(call);
    this.users = new Users(call);
    this.groups = new Groups(call);
    this.apiKeys = new ApiKeys(call);
    this.logins = new Logins(call);
    this.history = new History(call);
    this.historyExports = new HistoryExports(call);
    this.seals = new Seals(call);
    this.service = new Service(call);
  }
}
