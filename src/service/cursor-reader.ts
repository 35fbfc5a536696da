// Whose page cursors a request is answered with.
import type { CursorReader } from '../query/page/page-cursor.js';
import type { Caller, Services } from './context.js';

/** Cursors are good for all keys of the same organisations, and apart from them for requests without a key. */
export const cursorReader = ({ cursorSecret }: Services, caller: Caller): CursorReader => ({
  secret: cursorSecret,
  orgId: caller.kind === 'key' ? caller.orgIds.join(' ') : null,
});
