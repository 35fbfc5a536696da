// Faults for the differential test: one change of the built server each.

import type { Change } from '../../support/planted.js';

export interface Fault extends Change {
  readonly name: string;
  /** The name of the setting of the server under which it shows; the first one by default. */
  readonly setting?: string;
}

const flushing = 'flush after every insert';
const merging = 'merge segments always';

export const faults: readonly Fault[] = [
  {
    name: 'a page holds one trace more',
    file: 'query/page/trace-page.js',
    from: 'traces.size === limit',
    to: 'traces.size === limit + 1',
  },
  {
    name: 'the last row of a page comes again on the next one',
    file: 'query/page/trace-page.js',
    from: '_position < ${position}',
    to: '_position <= ${position}',
  },
  {
    name: 'traces of one transaction come in ascending order',
    file: 'query/page/trace-page.js',
    from: 'root_span_id DESC',
    to: 'root_span_id ASC',
  },
  {
    name: 'a cursor does not pin its snapshot',
    file: 'service/event/events.js',
    from: 'version: decoded.version, after',
    to: 'version: null, after',
  },
  {
    name: 'a tuple does not leave out its own rows',
    file: 'service/event/events.js',
    from: 'position: -1',
    to: 'position: 1_000_000',
  },
  {
    name: 'pages after a tuple show rows that were deleted since',
    file: 'query/page/fetch-rows.js',
    from: 'return excluded === null',
    to: 'return excluded !== undefined',
  },
  {
    name: 'tombstones are shown',
    file: 'store/read/snapshot/snapshot-sources.js',
    from: 'source.hasTombstones ?',
    to: 'source.hasTombstones === null ?',
  },
  {
    name: 'a version does not show its own transaction',
    file: 'store/read/snapshot/snapshot-sources.js',
    from: 'sql `_xact_id <= ${version}`',
    to: 'sql `_xact_id < ${version}`',
  },
  {
    name: 'supersessions are ignored',
    file: 'store/read/snapshot/snapshot-sources.js',
    from: '!this.#state.superseded.has(source)',
    to: 'this.#state.superseded.has(source)',
  },
  {
    name: 'a version still shows what its own transaction superseded',
    file: 'store/read/snapshot/snapshot-sources.js',
    from: 'by_xact_id <= ${version}',
    to: 'by_xact_id < ${version}',
  },
  {
    name: 'a row superseded in the transaction after a version is missing from it',
    file: 'store/commit/commit-group.js',
    from: 'push({ source, row, byXactId })',
    to: 'push({ source, row, byXactId: byXactId - 1n })',
  },
  {
    name: 'a merge reverses the order of the new keys',
    file: 'json/merge-text.js',
    from: 'yield* addMembers(merging, added.values(),',
    to: 'yield* addMembers(merging, [...added.values()].reverse(),',
  },
  {
    name: 'a merge descends below its merge paths',
    file: 'event/merge.js',
    from: 'pathsBelow(mergePaths, column)',
    to: '[]',
  },
  {
    name: 'a merge takes the creation time that was sent with it',
    file: 'event/merge.js',
    from: 'created: base.created',
    to: 'created: event.created ?? base.created',
  },
  {
    name: 'events of one request do not see each other when the row is stored',
    file: 'event/apply.js',
    from: 'this.#changed.get(id) ?? this.#storedRow(id)',
    to: 'this.#storedRow(id) ?? this.#changed.get(id)',
  },
  {
    name: 'a row keeps the place of its first occurrence in a request',
    file: 'event/apply.js',
    from: 'this.#changed.delete(row.id);',
    to: '',
  },
  {
    name: 'a child starts a trace of its own',
    file: 'event/apply.js',
    from: 'rootSpanId: parent.root_span_id',
    to: 'rootSpanId: parent.span_id',
  },
  {
    name: 'numbers beyond doubles lose digits when a path selects them',
    file: 'store/read/snapshot/source.js',
    from: 'hasLossless: generation.lossless > 0',
    to: 'hasLossless: false',
  },
  {
    name: 'NULL comes first in descending order',
    file: 'query/sql/row-source.js',
    from: 'DESC NULLS LAST',
    to: 'DESC NULLS FIRST',
  },
  {
    name: 'a supersession is lost in a flush',
    file: 'store/maintenance/flush-rows.js',
    from: 'supersededBy.get(row) ?? null',
    to: 'null',
    setting: 'flush now and then',
  },
  {
    name: 'a supersession is lost in a compaction',
    file: 'store/maintenance/merged-rows.js',
    from: 'coalesce(recorded, by_xact_id)',
    to: 'recorded',
    setting: merging,
  },
  {
    name: 'what was superseded before a compaction is live after it',
    file: 'store/maintenance/merged-rows.js',
    from: 'coalesce(recorded, by_xact_id)',
    to: 'by_xact_id',
    setting: merging,
  },
  {
    name: 'what supersedes rows while they are written is forgotten',
    file: 'store/maintenance/publish.js',
    from: 'later.flatMap((each) => moved(publication, each) ?? [])',
    to: '[]',
    setting: flushing,
  },
  {
    name: 'the map of rows to their new numbers is shifted by one',
    file: 'store/maintenance/segment-outputs.js',
    from: '[input.firstRow + row]',
    to: '[Math.max(0, input.firstRow + row - 1)]',
    setting: flushing,
  },
  {
    name: 'a segment that begins with the transaction of a version is left out',
    file: 'store/read/snapshot/snapshot-sources.js',
    from: 'segment.firstXactId <= version',
    to: 'segment.firstXactId < version',
    setting: flushing,
  },
  {
    name: 'a segment that begins with the bound of a page is left out',
    file: 'store/read/chunks/chunks.js',
    from: 'firstXactId <= to)',
    to: 'firstXactId < to)',
    setting: flushing,
  },
  {
    name: 'a row of a segment is alive in the transaction that superseded it',
    file: 'store/read/snapshot/snapshot-sources.js',
    from: '_superseded_by > ${version})',
    to: '_superseded_by >= ${version})',
    setting: merging,
  },
  {
    name: 'a leaf column of strings is marked absent',
    file: 'store/segment/leaf-selection.js',
    from: 'string: path.strings > 0',
    to: 'string: false',
    setting: flushing,
  },
  {
    name: 'values that are in no leaf column are marked absent',
    file: 'store/segment/leaf-selection.js',
    from: 'elsewhere: path.containers + path.unfit > 0',
    to: 'elsewhere: false',
    setting: 'flush now and then',
  },
  {
    name: 'a path that is in the text of a merged segment is taken for absent',
    file: 'store/segment/merged-paths.js',
    from: "storage.includes('text')",
    to: 'false',
    setting: merging,
  },
  {
    name: 'entity tags and summaries do not know removals',
    file: 'store/commit/last-writes.js',
    from: 'removals.get(id) ?? 0',
    to: '0',
  },
  {
    name: 'a removal takes rows of one segment alone',
    file: 'store/maintenance/removals.js',
    from: 'segments.filter(',
    to: 'segments.slice(0, 1).filter(',
    setting: flushing,
  },
  {
    name: 'traces expire with their oldest row',
    file: 'query/page/removed-rows.js',
    from: 'max(created) <',
    to: 'min(created) <',
  },
];
