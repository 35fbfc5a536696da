import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  decodeCursor,
  encodeCursor,
  type CursorReader,
  type CursorUse,
} from '../../src/query/cursor/page-cursor.js';

const reader: CursorReader = { secret: Buffer.alloc(32, 7), orgId: 'org' };
const use: CursorUse = { kind: 'fetch', of: 'object' };

/** As somebody would make it who knows the secret. */
function authentic(content: string): string {
  const payload = Buffer.from(content);
  const code = createHmac('sha256', reader.secret)
    .update(JSON.stringify([use.kind, use.of, reader.orgId]))
    .update('\n')
    .update(payload)
    .digest()
    .subarray(0, 16);
  return Buffer.concat([code, payload]).toString('base64url');
}

const largest = 2n ** 63n - 1n;

describe('page cursors', () => {
  it('carry every place', () => {
    const id = fc.bigInt({ min: 0n, max: largest });
    const whole = fc.nat({ max: Number.MAX_SAFE_INTEGER });
    const members = {
      version: id,
      nowMicros: whole.map(BigInt),
      xactId: id,
      position: whole,
      rootSpanId: fc.string({ unit: 'binary' }),
      members: fc.array(whole),
    };
    const { nowMicros, ...needed } = members;
    const place = fc.oneof(
      fc.record(needed),
      fc.record({ ...needed, nowMicros }),
      fc.record({ ...needed, asOfXactId: id }),
    );
    fc.assert(
      fc.property(place, (cursor) => {
        expect(decodeCursor(encodeCursor(cursor, reader, use), reader, use)).to.deep.equal(cursor);
      }),
    );
  });

  it('leave out a long root_span_id, so that they fit into a header', () => {
    const cursor = { version: largest, xactId: largest, position: 99_999, members: [9999] };
    for (const [rootSpanId, kept] of [
      ['a'.repeat(1022), 'a'.repeat(1022)],
      ['a'.repeat(1023), null],
      ['\n'.repeat(600), null],
      ['日'.repeat(400), null],
    ] as const) {
      const text = encodeCursor({ ...cursor, rootSpanId }, reader, use);
      expect(text.length).to.be.below(2000);
      expect(decodeCursor(text, reader, use)).to.deep.equal({ ...cursor, rootSpanId: kept });
    }
  });

  it('are good for one secret, reader, kind of use and object', () => {
    const cursor = { version: 1n, xactId: 1n, position: 0, rootSpanId: 't' };
    const text = encodeCursor(cursor, reader, use);
    for (const [other, otherUse] of [
      [{ ...reader, secret: Buffer.alloc(32, 8) }, use],
      [{ ...reader, orgId: 'other' }, use],
      [{ ...reader, orgId: null }, use],
      [{ ...reader, orgId: '' }, use],
      [reader, { ...use, kind: 'query' }],
      [reader, { ...use, of: 'other' }],
    ] as const)
      expect(decodeCursor(text, other, otherUse)).to.equal(null);
    expect(decodeCursor(text, reader, use)).not.to.equal(null);
  });

  it('are checked as input also when their code is right', () => {
    const good = '["1","2",3,"t",[]]';
    expect(decodeCursor(authentic(good), reader, use)).to.deep.equal({
      version: 1n,
      xactId: 2n,
      position: 3,
      rootSpanId: 't',
      members: [],
    });
    for (const content of [
      'hello',
      'null',
      '1',
      '""',
      '[]',
      '{}',
      '{"parts":["x"]}',
      '["1","2",3,"t"]',
      '["1","2",3,"t",[],-1]',
      '["1","2",3,"t",[],"-1"]',
      '["1","2",3,"t",[],"x"]',
      '["1","2",3,"t",[],null]',
      '["1","2",3,"t",[],"0","0"]',
      '["1","2",3,"t",[],0,0]',
      '[1,"2",3,"t",[]]',
      '["1",2,3,"t",[]]',
      '["-1","2",3,"t",[]]',
      '["1.5","2",3,"t",[]]',
      '["","2",3,"t",[]]',
      '["0x1","2",3,"t",[]]',
      `["1","${'9'.repeat(20)}",3,"t",[]]`,
      '["1","2","3","t",[]]',
      '["1","2",-1,"t",[]]',
      '["1","2",0.5,"t",[]]',
      '["1","2",1e999,"t",[]]',
      '["1","2",9007199254740992,"t",[]]',
      '["1","2",null,"t",[]]',
      '["1","2",3,{"parts":["1 OR true"]},[]]',
      '["1","2",3,["t"],[]]',
      '["1","2",3,4,[]]',
      '["1","2",3,"t",null]',
      '["1","2",3,"t",{"0":1}]',
      '["1","2",3,"t",["1"]]',
      '["1","2",3,"t",[-1]]',
      '["1","2",3,"t",[{"parts":["x"]}]]',
    ])
      expect(decodeCursor(authentic(content), reader, use), content).to.equal(null);
  });

  it('hold no transaction id beyond 64 bits', () => {
    const read = decodeCursor(authentic(`["${'9'.repeat(19)}","2",3,"t",[]]`), reader, use);
    expect(read?.version).to.equal(largest);
  });
});
