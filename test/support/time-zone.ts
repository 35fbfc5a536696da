const triesMax = 10;

const currentZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Runs a function in a time zone of the IANA database. */
export function inZone<T>(name: string, run: () => T): T {
  const before = process.env['TZ'];
  // The engine was seen to miss a change once.
  for (let tries = 0; tries < triesMax && currentZone() !== name; tries++) process.env['TZ'] = name;
  try {
    return run();
  } finally {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  }
}
