// Events whose writer loses access while they wait for the commit.
import path from 'node:path';
import { expect } from 'chai';
import { openAccounts } from '../../src/catalog/accounts.js';
import { Catalog } from '../../src/catalog/catalog.js';
import { Writer } from '../../src/duckdb/writer.js';
import type { RequestError } from '../../src/errors.js';
import type { KeyCaller, Services } from '../../src/service/context.js';
import { insertEvents } from '../../src/service/event/events.js';
import { giveFeedback } from '../../src/service/event/feedback.js';
import type { EventBody } from '../../src/service/event/decode-body.js';
import { deleteObject, ensureObject } from '../../src/service/object/objects.js';
import { storeSpans } from '../../src/service/event/otlp.js';
import type { TextReply } from '../../src/service/reply.js';
import { storeLogs } from '../../src/service/sdk/logs.js';
import { Backlog } from '../../src/store/commit/backlog.js';
import type { EventStore } from '../../src/store/event-store.js';
import type { StoreState } from '../../src/store/manifest/store-state.js';
import { exportOf, span } from '../otlp/spans.js';
import { inParent } from '../support/post-spans.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const bodyOf = (value: object): EventBody => ({
  bytes: Buffer.from(JSON.stringify(value)),
  reserve: () => {},
  signal: () => new AbortController().signal,
});

describe('events that wait for their commit', () => {
  const directory = temporaryDirectory();
  let writer: Writer;
  let services: Services;
  let caller: KeyCaller;
  let project: string;

  beforeEach(async () => {
    writer = await Writer.open(path.join(directory(), 'meta.duckdb'), {
      memoryMb: 100,
      threads: 1,
    });
    const catalog = await Catalog.open(writer);
    const { accounts } = await openAccounts(writer, catalog, { apiKey: 'a key', org: 'o' });
    const config = { writerMemoryMb: 100, maintenanceMemoryMb: 100 };
    services = { accounts, catalog, config } as Services;
    caller = { ...accounts.principal('a key')!, permission: 'create', requestId: 'r' };
    const { body } = await ensureObject(services, caller, 'project', new Map([['name', 'p']]));
    project = (JSON.parse(body) as { id: string }).id;
  });

  afterEach(() => writer.close());

  /** The refusal of an insert that waits for `meanwhile`. */
  const refusal = async (meanwhile: () => Promise<unknown>) => {
    const insert: EventStore['insert'] = async (_batches, options) => {
      await meanwhile();
      options?.checkBeforeCommit?.(() => 0n);
      return { xactId: 1n, rowIds: [[]] };
    };
    const waiting = { ...services, store: { insert } as EventStore };
    const body = bodyOf({ events: [{}] });
    const by = { ...caller, permission: 'update' } as const;
    const error = await rejection(insertEvents(waiting, by, 'project_logs', project, body));
    const { status, message } = error as RequestError;
    return [status, message];
  };

  it('are refused once their key is revoked', async () => {
    expect(await refusal(() => services.accounts.revoke(caller.keyId))).to.deep.equal([
      401,
      'the API key is not valid',
    ]);
  });

  it('are refused once their object is deleted', async () => {
    const by = { ...caller, permission: 'delete' } as const;
    expect(await refusal(() => deleteObject(services, by, 'project', project))).to.deep.equal([
      403,
      `no project with the id "${project}" that this key may use`,
    ]);
  });

  /** Another project, which is deleted before the first commit, and the objects of each commit. */
  async function deletedMeanwhile() {
    const other = await ensureObject(services, caller, 'project', new Map([['name', 'q']]));
    const { id } = JSON.parse(other.body) as { id: string };
    const stored: string[][] = [];
    const insert: EventStore['insert'] = async (batches, options) => {
      const deleter = { ...caller, permission: 'delete' } as const;
      if (stored.length === 0) await deleteObject(services, deleter, 'project', id);
      stored.push(batches.map(({ object }) => object.id));
      options?.checkBeforeCommit?.(() => 0n);
      return { xactId: 1n, rowIds: [[]] };
    };
    const log = { warn: () => {} } as unknown as Services['log'];
    return { id, stored, waiting: { ...services, log, store: { insert } as EventStore } };
  }

  it('of an export are stored but for those of the object that is deleted', async () => {
    const by = { ...caller, permission: 'update' } as const;
    const { id, stored, waiting } = await deletedMeanwhile();
    const spans = [span(), inParent(`project_id:${id}`, { spanId: '2'.repeat(16) })];
    const format = { encoding: 'json', parent: `project_id:${project}` } as const;
    const reply = await storeSpans(waiting, by, format, bodyOf(exportOf(spans)));
    const { body } = reply as { readonly body: unknown };
    expect(JSON.parse(String(body))).to.deep.equal({
      partialSuccess: {
        rejectedSpans: '1',
        errorMessage: `resourceSpans[0].scopeSpans[0].spans[1]: the attribute braintrust.parent: no project with the id "${id}" that this key may use`,
      },
    });
    expect(stored).to.deep.equal([[project, id], [project]]);
  });

  it('of feedback on a prompt wait for the buffer without delaying changes of the catalog', async () => {
    const fields = new Map([
      ['project_id', project],
      ['name', 'n'],
      ['slug', 's'],
    ]);
    const preparing = { ...services, store: { issueXactId: () => 1n } as unknown as EventStore };
    const { body } = await ensureObject(preparing, caller, 'prompt', fields);
    const { id } = JSON.parse(body) as { id: string };
    const settings = { softBytes: 0, hardBytes: 1, waitMs: 100 };
    const full = { sealed: [], active: { bytes: 2 } } as unknown as StoreState;
    const backlog = new Backlog(settings, full);
    const order: string[] = [];
    const waitForSpace: EventStore['waitForSpace'] = () =>
      backlog.admit(() => 1)?.finally(() => order.push('waited'));
    const insert: EventStore['insert'] = async (batches, options) => {
      if (options?.hasWaited !== true) await waitForSpace(batches);
      return { xactId: 2n, rowIds: [[]] };
    };
    const waiting = { ...services, store: { waitForSpace, insert } as EventStore };
    const by = { ...caller, permission: 'update' } as const;
    const feedback = [{ id, comment: 'c' }];
    const refused = rejection(giveFeedback(waiting, by, 'prompt', id, { feedback }));
    await services.catalog.change(() => Promise.resolve(order.push('changed')));
    expect((await refused).message).to.equal(
      'earlier events are still being written to segments, try again later',
    );
    expect(order).to.deep.equal(['changed', 'waited']);
  });

  it('of SDK rows are stored but for those of the object that is deleted', async () => {
    const by = { ...caller, permission: 'update' } as const;
    const { id, stored, waiting } = await deletedMeanwhile();
    const rows = [
      { id: 'a', project_id: project, log_id: 'g' },
      { id: 'b', project_id: id, log_id: 'g' },
    ];
    const reply = await storeLogs(waiting, by, bodyOf({ rows }));
    const message = `rows[1]: no project with the id "${id}" that this key may use`;
    expect(JSON.parse((reply as TextReply).text)).to.deep.include({
      ids: ['a'],
      errors: [{ index: 1, id: 'b', message }],
    });
    expect(stored).to.deep.equal([[project, id], [project]]);
  });
});
