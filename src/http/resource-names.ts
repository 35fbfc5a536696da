// The names of resource kinds in the reference.
import type { ObjectKind } from '../schema/resources/definition.js';
import type { EventObjectKind } from '../schema/event-row.js';

interface Words {
  /** For operation ids. */
  readonly name: string;
  /** The tag. */
  readonly group: string;
  /** For sentences, with its article. */
  readonly one: string;
}

export const wordsOf: Readonly<Record<ObjectKind | EventObjectKind, Words>> = {
  project: { name: 'Project', group: 'Projects', one: 'a project' },
  project_logs: {
    name: 'ProjectLog',
    group: 'Project logs',
    one: 'the logs of a project',
  },
  experiment: {
    name: 'Experiment',
    group: 'Experiments',
    one: 'an experiment',
  },
  dataset: { name: 'Dataset', group: 'Datasets', one: 'a dataset' },
  dataset_snapshot: {
    name: 'DatasetSnapshot',
    group: 'Dataset snapshots',
    one: 'a snapshot of a dataset',
  },
  function: { name: 'Function', group: 'Functions', one: 'a function' },
  prompt: { name: 'Prompt', group: 'Prompts', one: 'a prompt' },
  organization: {
    name: 'Organization',
    group: 'Organizations',
    one: 'an organisation',
  },
  user: { name: 'User', group: 'Users', one: 'a user' },
  org_member: { name: 'Member', group: 'Organizations', one: 'a member' },
  group: { name: 'Group', group: 'Groups', one: 'a group' },
  acl: { name: 'Acl', group: 'ACLs', one: 'an ACL' },
  api_key: { name: 'ApiKey', group: 'API keys', one: 'an API key' },
  service_token: {
    name: 'ServiceToken',
    group: 'Service tokens',
    one: 'a service token',
  },
  role: { name: 'Role', group: 'Roles', one: 'a role' },
};
