/** Runs the check without each rule of a table in turn. */
export function withoutEach(table: object, check: (name: string) => void): void {
  const rules = table as Record<string, unknown>;
  for (const name of Object.keys(rules)) {
    const rule = rules[name];
    try {
      delete rules[name];
      check(name);
    } finally {
      rules[name] = rule;
    }
  }
}
