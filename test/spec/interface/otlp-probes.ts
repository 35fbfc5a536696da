// The parent and the spans of exports.
import { expect } from 'chai';
import { exportOf, span, spanId } from '../../otlp/spans.js';
import { eventObject, rowsOf, type Client, type Probe } from './probe.js';

/** A span whose parent is in the header. */
const storesSpan =
  (path: string) =>
  async (client: Client): Promise<void> => {
    const id = await eventObject(client, 'project_logs');
    const answer = await client.request('POST', path, exportOf([span()]), {
      headers: { 'Content-Type': 'application/json', 'x-bt-parent': `project_id:${id}` },
    });
    expect(answer.json()).to.deep.equal({});
    const rows = await rowsOf(client, 'project_logs', id);
    expect(rows.map((row) => row['id'])).to.deep.equal([spanId]);
  };

export const otlpProbes: readonly Probe[] = ['/otel/v1/traces', '/v1/traces'].flatMap((path) => {
  const run = storesSpan(path);
  const operation = `POST ${path}`;
  return [
    { operation, place: 'body', name: 'resourceSpans', run },
    { operation, place: 'header', name: 'x-bt-parent', run },
  ];
});
