export const reportText = (x: readonly unknown[]): string => String(x.length);
