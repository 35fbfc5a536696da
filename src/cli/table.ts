// Formats rows of cells as a text table.

export function formatTable(
  head: readonly string[],
  lines: readonly (readonly string[])[],
): string {
  const table = [head, ...lines];
  const widths = head.map((_, column) =>
    Math.max(...table.map((cells) => cells[column]?.length ?? 0)),
  );
  return table
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
