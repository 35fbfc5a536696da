// Parts of attachments, which players of recordings ask for.
import { expect } from 'chai';
import { find, uploaded } from '../support/attachments.js';
import { sharedServer } from '../support/start-server.js';

describe('parts of attachments', () => {
  const server = sharedServer();
  let address: string;

  before(async () => {
    const key = await uploaded(server(), '0123456789', { content_type: 'text/plain' });
    ({ address } = await find(server(), key));
  });

  async function asked(headers: Readonly<Record<string, string>>, method = 'GET') {
    const answer = await fetch(`${server().url}${address}`, { method, headers });
    return {
      status: answer.status,
      text: await answer.text(),
      range: answer.headers.get('content-range'),
      length: answer.headers.get('content-length'),
      encoding: answer.headers.get('content-encoding'),
      ranges: answer.headers.get('accept-ranges'),
    };
  }

  const whole = { status: 200, text: '0123456789', range: null, ranges: 'bytes' };

  const parts: readonly (readonly [range: string, text: string, first: number, last: number])[] = [
    ['bytes=0-', '0123456789', 0, 9],
    ['bytes=2-4', '234', 2, 4],
    ['bytes=9-9', '9', 9, 9],
    ['bytes=7-100', '789', 7, 9],
    ['bytes=-3', '789', 7, 9],
    ['bytes=-100', '0123456789', 0, 9],
    [' Bytes=1-1 ', '1', 1, 1],
  ];
  for (const [range, text, first, last] of parts)
    it(`are answered: ${range}`, async () => {
      // fetch asks for gzip, which would change the positions.
      expect(await asked({ range })).to.deep.equal({
        status: 206,
        text,
        range: `bytes ${first}-${last}/10`,
        length: String(text.length),
        encoding: null,
        ranges: 'bytes',
      });
    });

  for (const range of ['bytes=10-', 'bytes=100-200', 'bytes=-0'])
    it(`are refused where there are none: ${range}`, async () => {
      expect(await asked({ range })).to.include({
        status: 416,
        text: `Range: expected a part of the 10 bytes, got "${range}"`,
        range: 'bytes */10',
      });
    });

  for (const range of ['bytes=-', 'bytes=4-2', 'bytes=0-1,3-4', 'bytes=a-b', 'lines=0-1', '0-1'])
    it(`are the whole for a range that is not understood: ${range}`, async () => {
      expect(await asked({ range })).to.include(whole);
    });

  it('are the whole under a condition, and a HEAD has no parts', async () => {
    expect(await asked({ range: 'bytes=2-4', 'if-range': '"tag"' })).to.include(whole);
    const head = await asked({ range: 'bytes=2-4', 'accept-encoding': 'identity' }, 'HEAD');
    expect(head).to.include({ ...whole, text: '', length: '10' });
  });

  it('need the signed address, too', async () => {
    const answer = await fetch(`${server().url}/attachment/download`, {
      headers: { range: 'bytes=0-1' },
    });
    expect(answer.status).to.equal(401);
  });

  it('of an empty one do not exist', async () => {
    const key = await uploaded(server(), Buffer.alloc(0));
    const { address: empty } = await find(server(), key);
    const answer = await fetch(`${server().url}${empty}`, { headers: { range: 'bytes=0-' } });
    expect([answer.status, answer.headers.get('content-range')]).to.deep.equal([416, 'bytes */0']);
  });
});
