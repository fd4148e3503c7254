import type { RequestAuthorizer } from '../../contract/request-ports.js';
import {
  isRoleAtLeast,
  projectRoles,
  type Principal,
  type VisibleProject,
} from '../../contract/roles.js';
import { canonicalUuid } from '../../kernel/uuid-and-instant.js';
import { codePointCount } from '../../kernel/code-points.js';
import { Fault, valueComplaint, type Complaint } from '../../kernel/fault.js';
import type { EventLog, Ids } from '../../kernel/ports.js';
import type { ProjectId, RunId } from '../../kernel/schema-types.js';
import type { Authorship } from '../../kernel/transact.js';
import {
  defaultLogStreamName,
  ensureLogStream,
  experimentNames,
  liveRun,
  type Run,
} from '../facts/runs.js';

/** The project of that name, created when missing; implemented by command-api/projects. */
type ProjectByName = (
  name: string,
  caller: { readonly principal: Principal; readonly cause: Authorship },
) => Promise<VisibleProject>;

export type OtelTargetNeeds = {
  readonly log: EventLog;
  readonly ids: Ids;
  readonly projectByName: ProjectByName;
  readonly visibleProject: RequestAuthorizer['visibleProject'];
};

type Headers = Readonly<Record<string, string>>;
type OtelTargetRequest = {
  readonly headers: Headers;
  readonly principal: Principal;
  readonly cause: Authorship;
};

const nameMax = 255;
const control = /\p{Cc}/u;
const runHeaders = ['logstreamid', 'logstream', 'experimentid', 'experiment'] as const;

/** Complaints about the routing headers (contract 5.12, rule 1). */
export const headerComplaints = (headers: Headers): readonly Complaint[] => {
  const found: Complaint[] = [];
  for (const name of ['projectid', 'project', ...runHeaders]) {
    const value = headers[name];
    if (value === undefined) continue;
    const loc = ['header', name];
    if (name.endsWith('id')) {
      if (canonicalUuid(value) === null)
        found.push({ loc, msg: 'Input should be a valid UUID', type: 'uuid_parsing' });
    } else if (!isName(value)) {
      found.push(
        valueComplaint(loc, `a name has 1 to ${nameMax} characters without control characters`),
      );
    }
  }
  const runs = runHeaders.filter((name) => headers[name] !== undefined);
  if (runs.length > 1 && !isOnePair(runs)) {
    found.push(valueComplaint(['header', runs[1] ?? ''], 'spans go to one run'));
  }
  return found;
};
/** An id takes precedence over a name of the same kind. */
const isOnePair = (runs: readonly string[]): boolean =>
  new Set(runs.map((name) => name.replace(/id$/, ''))).size === 1;
const isName = (value: string): boolean =>
  value.trim() !== '' && codePointCount(value.trim()) <= nameMax && !control.test(value);

/** A run with the name of its project. */
export type TargetRun = Run & { readonly projectName: string };

/**
 * The run to which the headers route. Throws Fault `not-found` for an invisible target, `forbidden`
 * unless the caller is an editor.
 */
export const otelTargetRun = async (
  needs: OtelTargetNeeds,
  request: OtelTargetRequest,
): Promise<TargetRun> => {
  const project = await targetProject(needs, request);
  if (!isRoleAtLeast(projectRoles, project.role, 'editor')) {
    throw new Fault(
      'forbidden',
      `This needs the role editor in the project; yours is ${project.role}`,
    );
  }
  return { ...(await targetRun(needs, project.id, request)), projectName: project.name };
};

const targetProject = async (
  { visibleProject, projectByName }: OtelTargetNeeds,
  { headers, principal, cause }: OtelTargetRequest,
): Promise<VisibleProject> => {
  const bound = principal.key?.projectId ?? null;
  const id = headers['projectid']?.toLowerCase() ?? bound;
  if (id === null) {
    const name = headers['project']?.trim() ?? defaultProjectName;
    return projectByName(name, { principal, cause });
  }
  const project = await visibleProject(principal, id as ProjectId);
  const name = headers['projectid'] === undefined ? headers['project']?.trim() : undefined;
  if (project === null || (name !== undefined && name !== project.name))
    throw notFoundFault('Project');
  return project;
};
const defaultProjectName = 'default';

const targetRun = async (
  { log, ids }: OtelTargetNeeds,
  project: ProjectId,
  { headers, principal, cause }: OtelTargetRequest,
): Promise<Run> => {
  const [stream, experiment] = [headers['logstreamid'], headers['experimentid']];
  const id = (stream ?? experiment)?.toLowerCase();
  if (id !== undefined) {
    const run = await liveRun(log, project, id as RunId);
    const kind = stream === undefined ? 'experiment' : 'log_stream';
    if (run?.kind !== kind) throw notFoundFault(stream === undefined ? 'Experiment' : 'Log stream');
    return run;
  }
  const named = headers['experiment']?.trim();
  if (named !== undefined) {
    const run = await experimentNames.find({ log, ids }, { scope: project, name: named });
    if (run === null || run.projectId !== project) throw notFoundFault('Experiment');
    return run;
  }
  const place = {
    projectId: project,
    organizationId: principal.organizationId,
    name: headers['logstream']?.trim() ?? defaultLogStreamName,
  };
  return ensureLogStream(log, ids, place, principal.userId, cause);
};

const notFoundFault = (what: string): Fault => new Fault('not-found', `${what} not found`);
