/** Runs a function in a time zone of the IANA database. */
export function inZone<T>(name: string, run: () => T): T {
  const before = process.env['TZ'];
  process.env['TZ'] = name;
  try {
    return run();
  } finally {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  }
}
