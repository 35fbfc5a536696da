// The names of columns from which the fields of a record are known.

export type RecordField = 'id' | 'input' | 'expected' | 'metadata' | 'tags';

const usual: ReadonlyMap<string, RecordField> = new Map([
  ['id', 'id'],
  ['input', 'input'],
  ['question', 'input'],
  ['prompt', 'input'],
  ['query', 'input'],
  ['expected', 'expected'],
  ['output', 'expected'],
  ['answer', 'expected'],
  ['completion', 'expected'],
  ['ideal', 'expected'],
  ['metadata', 'metadata'],
  ['tags', 'tags'],
]);

/** The field that a column with the name usually holds. */
export const usualField = (name: string): RecordField | undefined => usual.get(name.toLowerCase());
