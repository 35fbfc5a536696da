// Tokens of the query language. Line ends are white space.
lexer grammar QueryLexer;

options {
  caseInsensitive = true;
}

// A `%` behind a number that nothing to multiply follows, and the keywords of a text that begins with SELECT:
// src/query/syntax gives them these types.
tokens {
  PERCENT_SUFFIX,
  DISTINCT,
  WHERE,
  GROUP,
  BY,
  HAVING,
  ORDER,
  CASE,
  WHEN,
  THEN,
  ELSE,
  END,
  CAST,
  BETWEEN,
  SEMICOLON
}

SELECT: 'select';
DIMENSIONS: 'dimensions';
MEASURES: 'measures';
FROM: 'from';
FILTER: 'filter';
FINAL_FILTER: 'final_filter';
TRACE_FILTER: 'trace_filter';
SPAN_FILTER: 'span_filter';
SORT: 'sort';
SAMPLE: 'sample';
CURSOR: 'cursor';
PREVIEW_LENGTH: 'preview_length';
UNPIVOT: 'unpivot';
PIVOT: 'pivot';
INFER: 'infer';
LIMIT: 'limit';

AS: 'as';
ASC: 'asc';
DESC: 'desc';
AND: 'and';
OR: 'or';
NOT: 'not';
IS: 'is';
IN: 'in';
NULL: 'null';
TRUE: 'true';
FALSE: 'false';
INCLUDES: 'includes';
CONTAINS: 'contains';
LIKE: 'like';
ILIKE: 'ilike';
MATCH: 'match';
INTERVAL: 'interval';

EQUAL: '=';
NULL_SAFE_EQUAL: '<=>';
NOT_EQUAL: '!=' | '<>';
LESS_EQUAL: '<=';
GREATER_EQUAL: '>=';
LESS: '<';
GREATER: '>';
PLUS: '+';
MINUS: '-';
STAR: '*';
SLASH: '/';
PERCENT: '%';
QUESTION: '?';
COLON: ':';
COMMA: ',';
DOT: '.';
PIPE: '|';
LEFT_PAREN: '(';
RIGHT_PAREN: ')';
LEFT_BRACKET: '[';
RIGHT_BRACKET: ']';
LEFT_BRACE: '{';
RIGHT_BRACE: '}';

// Ids of objects may be written bare, so a UUID is one token.
UUID: HEX8 '-' HEX4 '-' HEX4 '-' HEX4 '-' HEX8 HEX4;
NUMBER: (DIGIT+ ('.' DIGIT+)? | '.' DIGIT+) ('e' [+-]? DIGIT+)?;
WORD: [a-z_\p{L}] [a-z0-9_$\p{L}\p{N}\p{M}]*;

// A quote inside is doubled, or escaped by a backslash.
SINGLE_QUOTED: '\'' ('\\' . | '\'\'' | ~['\\])* '\'';
DOUBLE_QUOTED: '"' ('\\' . | '""' | ~["\\])* '"';
UNCLOSED_STRING: '\'' ('\\' . | '\'\'' | ~['\\])* '\\'? EOF | '"' ('\\' . | '""' | ~["\\])* '\\'? EOF;

COMMENT: '--' ~[\r\n]* -> skip;
SPACE: [\p{White_Space}\uFEFF]+ -> skip;
UNKNOWN: .;

fragment DIGIT: [0-9];
fragment HEX4: [0-9a-f] [0-9a-f] [0-9a-f] [0-9a-f];
fragment HEX8: HEX4 HEX4;
