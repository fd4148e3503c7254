import type { Descriptions } from './descriptions.js';

/** Descriptions of members that nouns share, errors and the service (contract 1, 5.13, 5.15). */
export const serviceDescriptions: Descriptions = {
  members: {
    created_at: 'Time of creation, in UTC to the microsecond.',
    updated_at: 'Time of the last change, in UTC to the microsecond.',
    created_by: 'Id of the user who created it.',
    created_by_user: 'User who created it; null: removed, or the service itself.',
    project_id: 'Id of the project.',
    message: 'One sentence about what was done.',
    detail: 'One sentence: what is wrong and what to do.',
    title: 'Reason phrase of the HTTP status.',
    code: 'Code of the error, for example `not_found`.',
    request_id: 'Id of the request, as in `X-Request-Id`.',
    progress: 'Of `read_model_filling`: how far the read model is filled.',
    'progress.read_model': 'Name of the read model that is filled from the log.',
    'progress.ratio': 'Part that is filled, 0 to 1.',
    'progress.eta_seconds': 'Seconds until it is filled; null: not known yet.',
    loc: 'Place of the error: `body`, `query`, `path`, … then names and indices.',
    msg: 'Sentence about what is wrong.',
    job_id: 'Id of the job.',
    error_message: 'Reason of the failure; null: no failure.',
    progress_percent: 'Progress in per cent, 0 to 100; never falls.',
    progress_message: 'Step that the job is at; null: none to tell.',
    steps_completed: 'Number of steps that are done.',
    steps_total: 'Number of steps of the job.',
    retries: 'Number of times that the job was started anew.',
    processing_started: 'Time at which work began; null: not yet.',
    completed_at: 'Time at which the job completed; null: it did not.',
    failed_at: 'Time at which the job failed; null: it did not.',
    cancelled_at: 'Time at which the job was cancelled; null: it was not.',
    request_data: 'Request that started the job.',
    metadata_key: 'Key of the `user_metadata` entry, 1 to 256 characters.',
    metadata_value: 'Value of the `user_metadata` entry, at most 4,096 characters.',
    matched: 'Number of objects that match, by kind; null unless a dry run.',
    matched_count: 'Number of records that match a dry run.',
    more: 'True when more records match than were counted.',
    projects: 'Projects on this page.',
    sessions: 'Number of sessions that were deleted so far.',
  },
  of: [
    {
      components: 'DeleteByMetadata',
      members: {
        dry_run: 'Say what would be deleted, start no job.',
      },
    },
    {
      components: 'HealthcheckResponse',
      members: {
        api_version: 'Prefix of the paths: `v2`.',
        message: 'Always `ok`: the process answers.',
        version: 'Version of this description.',
      },
    },
    {
      components: 'Problem',
      members: {
        type: 'URN of the error: `urn:assay:problem:` and `code`.',
        status: 'HTTP status of the answer.',
      },
    },
    {
      components: 'HTTPValidationError',
      members: { detail: 'Errors in the order path, query, header, cookie, body; 100 at most.' },
    },
    {
      components: 'ValidationComplaint',
      members: { type: 'Kind of the error, for example `missing` or `string_type`.' },
    },
    {
      components: 'Job PastScoringJob',
      members: {
        id: 'Id of the job; of a validation the id of its task.',
        job_name: 'Kind of the job.',
        project_id: 'Project that the job works in; null: none.',
        run_id: 'Run that the job works on; null: none.',
        status: 'State of the job; the last three are final.',
      },
    },
    {
      components: 'OrgJob',
      members: {
        id: 'Id of the job.',
        job_name: 'Kind of the job: `delete_by_metadata`.',
        status: 'State of the job; `completed` and `failed` are final.',
        result: 'Number of objects deleted so far, by kind; null while pending.',
        organization_id: 'Organisation in whose projects the job deletes.',
        created_by: 'Id of the user who started it; null: the user was removed.',
      },
    },
    {
      components: 'OrgJobRequest',
      members: {
        metadata_value: 'Value of the entry; `[redacted]` except for `admin`.',
        immediate: 'True: the job went before others.',
      },
    },
    {
      components: 'OrgJobResult',
      members: {
        projects: 'Number of projects with deleted records.',
        traces: 'Number of traces that were deleted so far.',
        spans: 'Number of spans that were deleted so far.',
      },
    },
    {
      components: 'DeleteByMetadataResponse',
      members: {
        job_id: 'Job to poll; null: a dry run starts none.',
        matched_count: 'Sessions and traces that match a dry run.',
        ids: 'Ids that match a dry run, the first 1,000, sessions before traces.',
      },
    },
  ],
};
