import { expect } from 'chai';
import { RefusedEvents } from '../../src/event/refused-events.js';
import type { EventObject } from '../../src/schema/event-row.js';
import { applyEvents } from '../support/apply-events.js';
import { decodeEvents } from '../support/decode-events.js';

const object: EventObject = { kind: 'experiment', id: 'e', projectId: 'p', orgId: 'o' };

const decode = (events: readonly object[]) =>
  decodeEvents('experiment', JSON.stringify({ events }));

const stored = decode([
  { id: 'm', input: { a: 1 } },
  { id: 'p', input: 'x'.repeat(98) },
]);

const events = decode([
  { id: 'm', _is_merge: true, input: { b: 2 } },
  { id: 'c', _parent_id: 'p' },
  { id: 'd', _parent_id: 'p' },
  { id: 'e', input: 1 },
  { id: 'm', _is_merge: true, input: { c: 3 } },
  { id: 'm', _object_delete: true },
  { id: 'm', _is_merge: true, input: { c: 3 } },
]);

function applyWithin(basesBytesMax: number) {
  const rows = applyEvents(object, stored, new Map(), 1n);
  const live = new Map(rows.map((row) => [row.id, row]));
  return applyEvents(object, events, live, 1n, { basesBytesMax });
}

describe('the budget of the rows that events build on', () => {
  it('counts a row once, and again for each further merge, and refuses events beyond it', () => {
    const bytes = '{"a":1}'.length + 100 + '{"a":1,"b":2}'.length;
    expect(applyWithin(bytes)).to.have.length(4);
    expect(() => applyWithin(bytes - 1))
      .to.throw(
        RefusedEvents,
        'events[4]: the events of the request build on more than 0 MB of stored events; send fewer in one request',
      )
      .with.property('refused')
      .with.length(2);
    expect(() => applyWithin(100))
      .to.throw('events[1]: the events of the request build on more than')
      .with.property('refused')
      .with.length(4);
  });
});
