// Objects to insert into a catalog, and the list of all of them.
import type { ObjectDraft } from '../../src/catalog/catalog.js';
import type { ListSelection } from '../../src/catalog/list-page.js';

export const draft = (name: string): ObjectDraft => ({
  kind: 'project',
  orgId: 'org',
  projectId: null,
  userId: 'user',
  name,
  slug: null,
  xactId: null,
  fields: new Map(),
});

export const sized = (name: string, length: number): ObjectDraft => ({
  ...draft(name),
  set: new Map([['settings', { text: 'x'.repeat(length) }]]),
});

export const prompt = (slug: string, xactId: bigint): ObjectDraft => ({
  ...draft('prompt'),
  kind: 'prompt',
  projectId: 'p',
  slug,
  xactId,
  fields: new Map([['slug', slug]]),
});

export const everything: ListSelection = {
  isVisible: ({ orgId }) => orgId === 'org',
  ids: null,
  where: {},
  version: null,
  startingAfter: null,
  endingBefore: null,
  limit: null,
};
