// The audit log, newest first.
import { useInfiniteQuery } from '@tanstack/react-query';
import { timeText } from '../../kit/format.js';
import { ListTable } from '../../kit/list-table.js';
import { Empty, QueryState } from '../../kit/states.js';
import { useMemberNames, userName, type AuditEntry } from '../../server/access.js';
import { listOf } from '../../server/objects.js';

const pageEntries = 100;

/** The name of a grant is a JSON array: its object, user, group, permission, restricted type, and role. */
function nameOf({ object_type, object_name }: AuditEntry): string {
  if (object_type !== 'acl') return object_name;
  const [object, user, group, permission, type, role] = JSON.parse(object_name) as string[];
  const granted = permission ?? `role ${role}`;
  return `${granted}${type ? ` of every ${type}` : ''} on ${object} to ${user ? `user ${user}` : `group ${group}`}`;
}

export function AuditLog() {
  const names = useMemberNames();
  const log = useInfiniteQuery({
    queryKey: ['audit'],
    queryFn: ({ pageParam, signal }) =>
      listOf<AuditEntry>(
        `/v1/audit_log?limit=${pageEntries}${pageParam === '' ? '' : `&starting_after=${pageParam}`}`,
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: (page) => (page.length < pageEntries ? null : page.at(-1)!.id),
  });
  const entries = log.data?.pages.flat();
  return (
    <>
      <header>
        <h1>Audit log</h1>
      </header>
      <QueryState query={log} />
      {entries?.length === 0 && <Empty title="There is no entry that this key may read" />}
      {entries !== undefined && entries.length > 0 && (
        <ListTable
          label="Audit log"
          head={
            <>
              <th>Time</th>
              <th>Who</th>
              <th>Action</th>
              <th>Kind</th>
              <th>Object</th>
            </>
          }
        >
          {entries.map((entry) => (
            <tr key={entry.id}>
              <td className="time">{timeText(entry.created)}</td>
              <td className="cut">{userName(names, entry.user_id)}</td>
              <td>{entry.action}</td>
              <td>{entry.object_type.replaceAll('_', ' ')}</td>
              <td className="cut" title={nameOf(entry)}>
                {nameOf(entry)}
              </td>
            </tr>
          ))}
        </ListTable>
      )}
      {log.hasNextPage && (
        <p className="more">
          <button
            type="button"
            disabled={log.isFetchingNextPage}
            onClick={() => void log.fetchNextPage()}
          >
            Show earlier entries
          </button>
        </p>
      )}
    </>
  );
}
