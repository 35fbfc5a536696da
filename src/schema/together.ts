// Rules on fields of an object that depend on one another, for the reference. The code that reads the fields enforces them. They
// are written with `not`, which generators of clients skip; `anyOf` would make a union of classes.

type Keywords = Readonly<Record<string, unknown>>;

const each = (fields: readonly string[], keywords: Keywords) => ({
  properties: Object.fromEntries(fields.map((field) => [field, keywords])),
});

const absent = (...fields: readonly string[]): Keywords => each(fields, { type: 'null' });

const present = (...fields: readonly string[]): Keywords => ({
  required: fields,
  ...each(fields, { not: { type: 'null' } }),
});

/** Not both fields; null means absent. */
export const both = (one: string, other: string): Keywords => present(one, other);

/** At least one of the fields; null means absent. */
export const none = (...fields: readonly string[]): Keywords => absent(...fields);

/** Not the first field without the other; null means absent. */
export const alone = (one: string, other: string): Keywords => ({
  allOf: [present(one), absent(other)],
});

/** The keywords of a schema for the reference that rule out objects with any of these combinations. */
export const never = (...combinations: readonly Keywords[]) => ({
  not: { anyOf: combinations },
});
