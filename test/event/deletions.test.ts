// Deletions of events that the same request inserts again.
import { expect } from 'chai';
import { readEvents } from '../../src/event/decode.js';
import { hiddenDeletions } from '../../src/event/deletions.js';
import type { JsonValue } from '../../src/json/json.js';

const batch = (id: string, ...events: readonly JsonValue[]) => ({
  object: { kind: 'experiment', id, projectId: 'p', orgId: 'o' } as const,
  events: readEvents('experiment', events, { plain: true, path: 'events' }),
});

const inserted = (id: string) => ({ id });
const deleted = (id: string) => ({ id, _object_delete: true });

/** The result of all steps, and their number. */
function searched(...batches: readonly ReturnType<typeof batch>[]) {
  const steps = hiddenDeletions(batches);
  for (let count = 0; ; count += 1) {
    const { done, value } = steps.next();
    if (done === true) return { count, found: value };
  }
}

const found = (...batches: readonly ReturnType<typeof batch>[]) =>
  searched(...batches).found.map(({ object, events }) => [
    object.kind,
    object.id,
    events.map(({ rootSpanId, isDelete }) => [rootSpanId, isDelete]),
  ]);

describe('deletions that the rows of a request do not show', () => {
  it('are those of events that it inserts again, each once', () => {
    const again = [deleted('e'), inserted('e'), deleted('e'), { id: 'e', _is_merge: true }];
    const others = [deleted('f'), inserted('g'), deleted('g')];
    expect(found(batch('x', ...again, ...others))).to.deep.equal([
      ['feedback', 'feedback:x', [['e', true]]],
    ]);
  });

  it('are of one object, also in several batches', () => {
    const deletions = [batch('x', deleted('e'), deleted('f')), batch('y', inserted('e'))];
    expect(found(...deletions)).to.deep.equal([]);
    expect(found(...deletions, batch('x', inserted('e')))).to.deep.equal([
      ['feedback', 'feedback:x', [['e', true]]],
    ]);
  });

  it('are found in a step for each event, so that a long list leaves turns to other requests', () => {
    const events = ['e', 'f', 'g'].flatMap((id) => [deleted(id), inserted(id)]);
    expect(searched(batch('x', ...events)).count).to.equal(events.length);
  });
});
