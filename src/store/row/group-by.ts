// Groups the elements of a list by a key. Groups are in the order of their first elements.

export function groupBy<T, K>(
  list: Iterable<T>,
  keyOf: (element: T) => K,
): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const element of list) {
    const key = keyOf(element);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [element]);
    else group.push(element);
  }
  return groups;
}
