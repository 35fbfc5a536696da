// The manual's page on spans, generated from the mapping.
import { conventions, type Convention } from '../../src/otlp/mapping.js';
import type { AttributeRule, Rule } from '../../src/otlp/rule.js';

type Cells = readonly [source: string, field: string, value: string];

const code = (text: string) => `\`${text}\``;

const stays = 'also stays in `metadata`';

/** The names of targets that are no fields. */
const fields: Readonly<Record<string, string>> = { conversation: '`input`, `output`' };

function attributeCells({ from, to, reader, when, keeps }: AttributeRule): readonly Cells[] {
  const field = fields[to] ?? code(to);
  const notes = [reader.about, when?.about ?? '', keeps === undefined ? '' : stays];
  const value = (...more: readonly string[]) => [...more, ...notes].filter(Boolean).join('; ');
  const { results } = reader;
  if (results === undefined) return [[code(from), field, value()]];
  return Object.entries(results).map(([text, result]) => [
    `${code(from)} = ${code(text)}`,
    field,
    [code(result), stays].join('; '),
  ]);
}

const atTheEnd = '; `output` at the end, if no event is an answer';

function cellsOf(rule: Rule): readonly Cells[] {
  if ('from' in rule) return attributeCells(rule);
  if ('event' in rule)
    return [[`event ${code(rule.event)}`, '', 'its attributes count like those of the span']];
  const { messages, answers } = rule;
  const cells = (events: Readonly<Record<string, string>>, field: string) =>
    Object.entries(events).map(([event, role]): Cells => {
      const atEnd = role === 'assistant' && events === messages ? atTheEnd : '';
      return [`event ${code(event)}`, field, `message of ${code(role)}${atEnd}`];
    });
  return [...cells(messages, '`input`'), ...cells(answers, '`output`')];
}

const table = ({ name, about, rules }: Convention): string =>
  [
    `## ${name}`,
    about,
    [
      '| Attribute or event | Field | Value |',
      '| --- | --- | --- |',
      ...rules.flatMap(cellsOf).map((cells) => `| ${cells.join(' | ')} |`),
    ].join('\n'),
  ].join('\n\n');

const head = `# Spans of OpenTelemetry

Each span of an export becomes an event. The tables list which attributes and events of spans become which fields, in order of
preference: of several attributes for one field, the first one with a usable value wins. The others, and all attributes without a row in a table, are
in \`metadata\` under their own names. \`name.*\` stands for all attributes whose names begin with \`name.\`.

The \`span_attributes.type\` of a span is \`task\` if no row gives another one. If a span has no \`metrics.tokens\`, they are the sum of
\`metrics.prompt_tokens\` and \`metrics.completion_tokens\`. Tokens of agents, tools and other steps stay in \`metadata\`: they are those of the
calls below them, which would count twice.`;

/** In Markdown, not yet in the form of prettier. */
export const spansPage = (): string => [head, ...conventions.map(table), ''].join('\n\n');
