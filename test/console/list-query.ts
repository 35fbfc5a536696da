// A list of rows as the URL describes it.
import type { ListQuery } from '../../src/console/screens/rows/view.js';

export const list = (
  changes: Partial<ListQuery['view']> = {},
  kind: 'project_logs' | 'dataset' = 'project_logs',
): ListQuery => ({
  source: { kind, id: 'P' },
  view: { filter: '', scope: 'root', ...changes },
  time: { from: null, to: null },
  columns: ['created', 'metadata."user name"', 'scores.a'],
  sort: '',
});
