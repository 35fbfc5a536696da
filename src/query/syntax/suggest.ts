// Suggests the known name that is nearest to a misspelt one.

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    previous = row;
  }
  return previous[b.length] ?? 0;
}

/** Returns null if every known name differs in more than about a third of its letters. */
function nearest(name: string, known: readonly string[]): string | null {
  if (name.length > 40) return null;
  const lower = name.toLowerCase();
  const ranked = known
    .map((candidate) => ({ candidate, distance: editDistance(lower, candidate) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  if (best === undefined || best.distance > Math.max(1, Math.floor(lower.length / 3))) return null;
  return best.candidate;
}

/** ` (did you mean 'x'?)`, or nothing. */
export function didYouMean(name: string, known: readonly string[]): string {
  const best = nearest(name, known);
  return best === null ? '' : ` (did you mean '${best}'?)`;
}
