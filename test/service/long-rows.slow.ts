// Few rows that together are longer than a string can be, in every format.
import { expect } from 'chai';
import { sharedProcess } from '../support/start-server.js';

const requests = 20;
const perRequest = 30;
const inputLength = 2 ** 20;
const total = requests * perRequest;

describe('rows that are long', () => {
  const server = sharedProcess({ environment: { EVALSTORE_QUERY_MEMORY_MB: '4096' } });
  let id: string;

  before(async function load() {
    this.timeout(600_000);
    id = String((await server().post('/v1/project', { name: 'long' }))['id']);
    for (let request = 0; request < requests; request++) {
      const events = Array.from({ length: perRequest }, (_, n) => ({
        id: `${request * perRequest + n}`,
        input: `${n} `.padEnd(inputLength, 'x'),
      }));
      await server().insert(`project_logs/${id}`, events);
    }
  });

  /** The number of bytes of the answer, and its first and last ones. */
  async function download(path: string, body: object) {
    const response = await fetch(`${server().url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server().key}`, 'accept-encoding': 'identity' },
      body: JSON.stringify(body),
    });
    let bytes = 0;
    let lines = 0;
    const ends: string[] = [];
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines += 1;
      ends[bytes === chunk.length ? 0 : 1] = Buffer.from(chunk).toString('latin1');
    }
    const first = ends[0]?.slice(0, 200) ?? '';
    return { status: response.status, bytes, lines, first, last: ends.at(-1)?.slice(-200) ?? '' };
  }

  for (const clause of ['', ` | limit: ${total}`])
    for (const fmt of ['json', 'jsonl', 'csv', 'parquet', 'arrow'])
      it(`are answered as ${fmt}${clause}`, async function ask() {
        this.timeout(300_000);
        const query = `select: id, input | from: project_logs('${id}')${clause}`;
        const { status, bytes, lines, first, last } = await download('/query', { query, fmt });
        expect(status, first).to.equal(200);
        if (fmt === 'parquet') expect(first.slice(0, 4) + last.slice(-4)).to.equal('PAR1PAR1');
        else expect(bytes).to.be.greaterThan(total * inputLength);
        if (fmt === 'jsonl') expect(lines).to.equal(total);
        if (fmt === 'csv') expect(lines).to.equal(total + 1);
        if (fmt === 'json') expect(last).to.match(/,"warnings":\[\]\}$/);
      });
});
