// Events that name attachments of another user.
import path from 'node:path';
import { expect } from 'chai';
import { AttachmentRecords } from '../../src/catalog/attachments.js';
import { Catalog } from '../../src/catalog/catalog.js';
import { addOrganisation } from '../../src/catalog/organisations.js';
import { Writer } from '../../src/duckdb/writer.js';
import { isNamedIn, recordAttachments } from '../../src/service/attachment/attachment-rights.js';
import type { KeyCaller, Services } from '../../src/service/context.js';
import type { IncomingBatch } from '../../src/store/event-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { draft } from '../catalog/drafts.js';

const keysOf = (count: number) => Array.from({ length: count }, (_, index) => `key-${index}`);

const object = (id: string) => ({ kind: 'project_logs', id }) as const;

const naming = (keys: readonly string[]) =>
  ({
    id: 'e',
    json: { input: JSON.stringify(keys.map((key) => ({ type: 'braintrust_attachment', key }))) },
  }) as unknown;

describe('events that name attachments of another user', () => {
  const directory = temporaryDirectory();
  let writer: Writer;
  beforeEach(async () => {
    const file = path.join(directory(), 'meta.duckdb');
    writer = await Writer.open(file, { memoryMb: 100, threads: 1 });
  });
  afterEach(() => writer.close());

  it('grant rights to those that their writer may read, in the same number of statements for one and many', async () => {
    const catalog = await Catalog.open(writer);
    const { orgId, userId } = await addOrganisation(catalog, { name: 'o' });
    const [readable, target] = ['readable', 'target'] as const;
    for (const id of [readable, target])
      await catalog.change((changes) => changes.insert({ ...draft(id), id, orgId }));
    const records = new AttachmentRecords(writer);
    const services = { catalog, attachments: { records } } as unknown as Services;
    const caller = {
      kind: 'key',
      userId,
      orgIds: [orgId],
      permission: 'update',
    } as unknown as KeyCaller;
    const announcer = { filename: 'f', contentType: 't', userId: 'other' };
    const keys = keysOf(20);
    for (const key of keys) await records.begin({ orgId, key }, announcer, 0);
    await records.refer(
      keys.map((key, index) => ({
        orgId,
        key,
        object: object(index < 10 ? readable : 'missing'),
        announcerId: 'other',
        objectId: index < 10 ? readable : 'missing',
        eventId: 'e',
      })),
    );
    const reading = writer.read.bind(writer);
    const statementsFor = async (named: readonly string[]) => {
      let count = 0;
      writer.read = (...parameters: Parameters<typeof reading>) => {
        count += 1;
        return reading(...parameters);
      };
      const batch = {
        object: { ...object(target), orgId, projectId: target },
        events: [naming(named)],
      };
      await recordAttachments(services, caller, [batch as unknown as IncomingBatch]);
      return count;
    };
    expect(await statementsFor(keys)).to.equal(await statementsFor(keys.slice(0, 1)));
    const granted = [];
    for (const record of await records.findAll(keys.map((key) => ({ orgId, key }))))
      if (await isNamedIn(services, record, object(target))) granted.push(record.key);
    expect(granted).to.have.members(keys.slice(0, 10));
  });
});
