import { expect } from 'chai';
import { Check } from 'typebox/value';
import { eventInserts, fetchedEvents, isIgnoredEventField } from '../../src/schema/event.js';

const uuid = '0b5aa7b6-1f0c-4c3c-9c1a-6d6f8a3f1f11';

const fetchedRecord = {
  id: 'r',
  _xact_id: '1000192656880881099',
  created: '2026-01-02T03:04:05.000006Z',
  project_id: uuid,
  input: { a: 1 },
  expected: null,
  error: null,
  metadata: null,
  tags: ['x'],
  origin: null,
  classifications: null,
  span_id: 's',
  span_parents: null,
  root_span_id: 's',
  is_root: true,
};

describe('schema/event', () => {
  it('describes fetched rows, with null for what is absent', () => {
    expect(Check(fetchedEvents.dataset, { ...fetchedRecord, dataset_id: uuid })).to.equal(true);
    const span = {
      ...fetchedRecord,
      output: null,
      scores: { a: 0.5, b: null },
      metrics: null,
      context: null,
      span_attributes: { name: 'x' },
    };
    const event = { ...span, experiment_id: uuid, dataset_record_id: null };
    expect(Check(fetchedEvents.experiment, event)).to.equal(true);
    expect(Check(fetchedEvents.experiment, { ...event, scores: { a: 'x' } })).to.equal(false);
    expect(Check(fetchedEvents.experiment, { ...event, unknown: 1 })).to.equal(false);
    expect(Check(fetchedEvents.project_logs, { ...span, org_id: uuid, log_id: 'g' })).to.equal(
      true,
    );
  });

  it('makes every field of an insert optional and every sent field typed', () => {
    for (const schema of Object.values(eventInserts)) {
      expect(Check(schema, {})).to.equal(true);
      expect(Check(schema, { tags: [1] })).to.equal(false);
    }
  });

  it('is plain JSON schema, ready to be published', () => {
    expect(JSON.parse(JSON.stringify(eventInserts.dataset))).to.have.nested.property(
      'properties.tags.expected',
      'an array of strings or null',
    );
  });

  it('has every fetched field either inserted or ignored', () => {
    for (const kind of ['project_logs', 'experiment', 'dataset'] as const) {
      const inserted = Object.keys(eventInserts[kind].properties);
      const lost = Object.keys(fetchedEvents[kind].properties).filter(
        (field) => !inserted.includes(field) && !isIgnoredEventField(field),
      );
      expect(lost, kind).to.deep.equal([]);
    }
  });
});
