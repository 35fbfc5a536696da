// Files of records as they occur: nothing in them is lost or changed without a word.
import { expect } from 'chai';
import { objectText } from '../../src/console/json/scan.js';
import { defaultMapping, recordOf } from '../../src/console/screens/import/mapping.js';
import { readTable } from '../../src/console/screens/import/table.js';

const tableOf = (file: string | Buffer) =>
  readTable(new Uint8Array(typeof file === 'string' ? Buffer.from(file) : file).buffer);

type Record = Readonly<{ id: string } & { [name: string]: unknown }>;

async function recordsOf(file: string | Buffer): Promise<readonly Record[]> {
  const table = await tableOf(file);
  const mapping = defaultMapping(table);
  return table.rows.map((row) => JSON.parse(objectText(recordOf(row, mapping))) as Record);
}

/** The records without their ids, which come first. */
const contentsOf = async (file: string | Buffer): Promise<readonly object[]> =>
  (await recordsOf(file)).map((record) => Object.fromEntries(Object.entries(record).slice(1)));

const refusalOf = async (file: string | Buffer): Promise<string> => {
  try {
    await tableOf(file);
  } catch (error) {
    return (error as Error).message;
  }
  return 'no error';
};

describe('files of records', () => {
  it('may begin with a byte order mark and separate cells by semicolons', async () => {
    const csv = '\uFEFFinput;expected;note\n"a;1";x;"say ""yes"""\nb;y;\n';
    expect(await contentsOf(csv)).to.deep.equal([
      { input: 'a;1', expected: 'x', metadata: { note: 'say "yes"' } },
      { input: 'b', expected: 'y' },
    ]);
  });

  it('with an empty id, or tags that are no texts, are imported whole', async () => {
    const lines =
      '{"id":"","input":1,"tags":["a",1,null,true," b "]}\n{"id":"","input":2,"tags":7}\n{"id":"","input":3,"tags":null}';
    expect(new Set((await recordsOf(lines)).map(({ id }) => id)).size).to.equal(3);
    expect((await recordsOf(lines)).every(({ id }) => id !== '')).to.equal(true);
    expect(await contentsOf(lines)).to.deep.equal([
      { input: 1, tags: ['a', '1', 'true', 'b'] },
      { input: 2, tags: ['7'] },
      { input: 3 },
    ]);
  });

  it('may have spaces around the names of columns, and an index of pandas', async () => {
    expect(await contentsOf(', input , Expected,note \n0,a,x,n\n1,b,y,\n')).to.deep.equal([
      { input: 'a', expected: 'x', metadata: { note: 'n' } },
      { input: 'b', expected: 'y' },
    ]);
    expect(await contentsOf('Unnamed: 0,input\n0,a\n')).to.deep.equal([{ input: 'a' }]);
    expect(await refusalOf('note, note\n1,2\n')).to.equal(
      'The CSV has two columns with the name “note”.',
    );
  });

  it('may name their separator in the first line, as spreadsheet programs do', async () => {
    for (const first of ['sep=;\r\n', 'sep=;\n', '"sep=;"\n', '\uFEFFsep=;\n'])
      expect(await contentsOf(`${first}input;expected\na,1;x\n`), first).to.deep.equal([
        { input: 'a,1', expected: 'x' },
      ]);
  });

  it('may be one object: a record over several lines, or an answer with an array of records', async () => {
    const record = { input: { q: 1 }, expected: 'x' };
    for (const file of [record, { data: [record], schema: {} }, { records: [record] }, [record]])
      for (const indentation of [0, 2])
        expect(await contentsOf(JSON.stringify(file, null, indentation))).to.deep.equal([record]);
    expect(await contentsOf('{"input":1,"data":[{"a":2}]}')).to.deep.equal([
      { input: 1, metadata: { data: [{ a: 2 }] } },
    ]);
    expect(await refusalOf('{"data":[{"input":1},2]}')).to.equal('Element 2 is not a JSON object.');
  });

  it('with null for an id have an id per record, and none for null metadata', async () => {
    const lines =
      '{"id":null,"input":1,"metadata":null,"model":"m"}\n{"id":null,"input":2,"metadata":null}';
    const records = await recordsOf(lines);
    expect(new Set(records.map(({ id }) => id)).size).to.equal(2);
    expect(await contentsOf(lines)).to.deep.equal([
      { input: 1, metadata: { model: 'm' } },
      { input: 2 },
    ]);
  });

  it('keep columns with the names of members of every object', async () => {
    const [record] = await contentsOf('constructor,input\nferrari,q\n');
    expect(record).to.deep.equal({ input: 'q', metadata: { constructor: 'ferrari' } });
  });

  it('keep the types of values that our exports write as JSON, and the quotes of texts', async () => {
    const mixed = 'input,expected\n"""5""",""\n5,"[1,{}]"\n"{""a"":12345678901234567890}",7\n';
    const rows = (await tableOf(mixed)).rows.map((row) => [row.get('input'), row.get('expected')]);
    expect(rows).to.deep.equal([
      ['"5"', undefined],
      ['5', '[1,{}]'],
      ['{"a":12345678901234567890}', '7'],
    ]);
    expect(await contentsOf('input,expected\n"""a""",1\n"""b""",true\n')).to.deep.equal([
      { input: '"a"', expected: '1' },
      { input: '"b"', expected: 'true' },
    ]);
    expect(await contentsOf('input\n"""a"" he said"\n[draft]\n5\n[1]\n')).to.deep.equal([
      { input: '"a" he said' },
      { input: '[draft]' },
      { input: '5' },
      { input: [1] },
    ]);
  });

  it('are refused if a part of them has no place', async () => {
    expect(await refusalOf('input,note,note\nq,1,2\n')).to.equal(
      'The CSV has two columns with the name “note”.',
    );
    expect(await refusalOf('input,expected\nok,1\nHello, world,x\n')).to.equal(
      'Row 3 of the CSV has more cells than the first row has columns. A text that contains the separator needs quotes.',
    );
    expect(await refusalOf('input,expected\nok,1,,\n')).to.equal('no error');
  });

  it('are refused in another encoding, and without a record', async () => {
    const encoding = 'The file is not text in UTF-8. Save it in this encoding.';
    expect(await refusalOf(Buffer.from('input\ncaf\u00e9\n', 'latin1'))).to.equal(encoding);
    expect(await refusalOf(Buffer.from('\uFEFFinput\nq\n', 'utf16le'))).to.equal(encoding);
    for (const empty of ['', ' \n', 'input,expected\n', '[]'])
      expect(await refusalOf(empty)).to.equal('There is no record to import.');
  });
});
