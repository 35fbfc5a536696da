// The variables of Mustache templates.

const variable = /\{\{[#^&{]?\s*([^\s{}#^&/!>]+)\s*\}\}/g;

/** The names of variables and sections in the order of their first use. @param text JSON text with templates */
export const variablesOf = (text: string): readonly string[] => [
  ...new Set(Array.from(text.matchAll(variable), ([, name]) => name!)),
];
