// The names of resource kinds in the reference.
import type { ObjectKind } from '../resource/definition.js';
import type { EventObjectKind } from '../schema/event-row.js';

interface Words {
  /** For operation ids. */
  readonly name: string;
  readonly names: string;
  /** The tag. */
  readonly group: string;
  /** For sentences, with its article. */
  readonly one: string;
}

export const wordsOf: Readonly<Record<ObjectKind | EventObjectKind, Words>> = {
  project: { name: 'Project', names: 'Projects', group: 'Projects', one: 'a project' },
  project_logs: {
    name: 'ProjectLog',
    names: 'ProjectLogs',
    group: 'Project logs',
    one: 'the logs of a project',
  },
  experiment: {
    name: 'Experiment',
    names: 'Experiments',
    group: 'Experiments',
    one: 'an experiment',
  },
  dataset: { name: 'Dataset', names: 'Datasets', group: 'Datasets', one: 'a dataset' },
  dataset_snapshot: {
    name: 'DatasetSnapshot',
    names: 'DatasetSnapshots',
    group: 'Dataset snapshots',
    one: 'a snapshot of a dataset',
  },
  function: { name: 'Function', names: 'Functions', group: 'Functions', one: 'a function' },
  prompt: { name: 'Prompt', names: 'Prompts', group: 'Prompts', one: 'a prompt' },
  organization: {
    name: 'Organization',
    names: 'Organizations',
    group: 'Organizations',
    one: 'an organization',
  },
  user: { name: 'User', names: 'Users', group: 'Users', one: 'a user' },
  org_member: { name: 'Member', names: 'Members', group: 'Organizations', one: 'a member' },
  group: { name: 'Group', names: 'Groups', group: 'Groups', one: 'a group' },
  acl: { name: 'Acl', names: 'Acls', group: 'ACLs', one: 'an ACL' },
  api_key: { name: 'ApiKey', names: 'ApiKeys', group: 'API keys', one: 'an API key' },
  service_token: {
    name: 'ServiceToken',
    names: 'ServiceTokens',
    group: 'Service tokens',
    one: 'a service token',
  },
  role: { name: 'Role', names: 'Roles', group: 'Roles', one: 'a role' },
};
