/**
 * Ids in the examples of the OpenAPI document, by member or parameter name. A test substitutes ids
 * of the service for them.
 */
export const exampleIds = {
  project_id: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  organization_id: '7d1b0f4e-2c85-4f0a-9b36-0e5a4c1d2f01',
  user_id: '5c0d9d8e-1f0a-4a53-9d4b-3f1f6a1f7a20',
  group_id: '2b6d5f3c-8a41-4e0d-b7c9-5f1e2a3b4c02',
  api_key_id: '0d3c1f6a-9a57-4f7b-8f3e-6a1f0f6f2b11',
  log_stream_id: '74aec44e-ec21-4c9f-a3e2-b2ab2b81b4db',
  experiment_id: '9e4c7a12-6b3d-4d58-8f21-7c0a9b8d6e03',
  tag_id: '1f8e2d3c-4b5a-4697-a8b9-0c1d2e3f4a04',
  dataset_id: 'c3a1b2d4-5e6f-4071-8293-a4b5c6d7e805',
  row_id: 'd4b2c3e5-6f70-4182-93a4-b5c6d7e8f906',
  session_id: 'e5c3d4f6-7081-4293-84b5-c6d7e8f90a07',
  trace_id: '60c67a87-024d-48e3-9dcf-ae5652800741',
  span_id: 'f6d4e507-8192-43a4-95c6-d7e8f90a1b08',
  template_id: '07e5f618-92a3-44b5-a6d7-e8f90a1b2c09',
  scorer_id: '18f60729-a3b4-45c6-b7e8-f90a1b2c3d0a',
  scorer_version_id: '2907183a-b4c5-46d7-88f9-0a1b2c3d4e0b',
  task_id: '3a18294b-c5d6-47e8-990a-1b2c3d4e5f0c',
  job_id: '4b293a5c-d6e7-48f9-aa1b-2c3d4e5f600d',
  integration_id: '5c3a4b6d-e7f8-490a-bb2c-3d4e5f60710e',
  experiment_group_id: '6d4b5c7e-f809-4a1b-8c3d-4e5f6071820f',
  prompt_template_id: '8f6d7e90-1a2b-4c3d-8e5f-607182930411',
  view_id: '7e5c6d8f-091a-4b2c-9d4e-5f6071829310',
} as const;
