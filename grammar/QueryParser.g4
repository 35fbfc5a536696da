// The query language. Every alternative of an expression is labelled, strongest binding first.
parser grammar QueryParser;

options {
  tokenVocab = QueryLexer;
}

query: (PIPE | clause)* EOF;

// An expression on its own, as a JSON query may hold one.
expressionText: expr EOF;

// The spelling of SQL.
sqlText: SELECT DISTINCT? sqlItem (COMMA sqlItem)* FROM source (COMMA source)* shape? sqlWhere? sqlGroup? sqlHaving? sqlOrder? sqlLimit? SEMICOLON? EOF;

sqlItem
  : STAR
  | expr (AS alias | WORD | DOUBLE_QUOTED)?
  ;

sqlWhere: WHERE expr;

sqlGroup: GROUP BY expr (COMMA expr)*;

sqlHaving: HAVING expr;

sqlOrder: ORDER BY sortItem (COMMA sortItem)*;

sqlLimit: LIMIT NUMBER (CURSOR (SINGLE_QUOTED | DOUBLE_QUOTED))?;

clause
  : SELECT COLON items                       # selectClause
  | DIMENSIONS COLON items                   # dimensionsClause
  | MEASURES COLON items                     # measuresClause
  | FROM COLON source (COMMA source)* shape? # fromClause
  | FILTER COLON expr                        # filterClause
  | FINAL_FILTER COLON expr                  # finalFilterClause
  | TRACE_FILTER COLON expr                  # traceFilterClause
  | SPAN_FILTER COLON expr                   # spanFilterClause
  | SORT COLON sortItem (COMMA sortItem)*    # sortClause
  | SAMPLE COLON NUMBER PERCENT_SUFFIX?        # sampleClause
  | CURSOR COLON (SINGLE_QUOTED | DOUBLE_QUOTED) # cursorClause
  | PREVIEW_LENGTH COLON MINUS? NUMBER       # previewLengthClause
  | LIMIT COLON NUMBER                       # limitClause
  | UNPIVOT COLON unpivotItem (COMMA unpivotItem)* # unpivotClause
  | PIVOT COLON expr (COMMA expr)*           # pivotClause
  | INFER COLON items                        # inferClause
  ;

items: item (COMMA item)*;

item
  : STAR                # starItem
  | expr (AS alias)?    # expressionItem
  ;

alias: word | SINGLE_QUOTED | DOUBLE_QUOTED;

unpivotItem: expr AS (alias | LEFT_PAREN alias (COMMA alias)? RIGHT_PAREN);

source: WORD LEFT_PAREN sourceId (COMMA sourceId)* RIGHT_PAREN;

sourceId: UUID | NUMBER | word | SINGLE_QUOTED | DOUBLE_QUOTED;

shape: WORD;

sortItem: expr (ASC | DESC)?;

expr
  : primary                                                                                     # primaryExpr
  | MINUS expr                                                                                  # negateExpr
  | expr (STAR | SLASH | PERCENT) expr                                               # binaryExpr
  | expr (PLUS | MINUS) expr                                                         # binaryExpr
  | expr NOT? (INCLUDES | CONTAINS | LIKE | ILIKE | MATCH) expr                      # wordExpr
  | expr NOT? IN list                                                                           # inExpr
  | expr NOT? BETWEEN bound AND bound                                                           # betweenExpr
  | expr IS NOT? NULL                                                                           # isNullExpr
  | expr (EQUAL | NULL_SAFE_EQUAL | NOT_EQUAL | LESS | LESS_EQUAL | GREATER | GREATER_EQUAL) expr # binaryExpr
  | NOT expr                                                                                    # notExpr
  | expr AND expr                                                                    # binaryExpr
  | expr OR expr                                                                     # binaryExpr
  | <assoc = right> expr QUESTION expr COLON expr                                               # conditionalExpr
  ;

// What stands beside the AND of BETWEEN.
bound
  : primary                                 # primaryBound
  | MINUS bound                             # negateBound
  | bound (STAR | SLASH | PERCENT) bound    # binaryBound
  | bound (PLUS | MINUS) bound              # binaryBound
  ;

list
  : LEFT_BRACKET (expr (COMMA expr)*)? RIGHT_BRACKET
  | LEFT_PAREN expr (COMMA expr)* RIGHT_PAREN
  ;

primary
  : literal                                                         # literalPrimary
  | INTERVAL NUMBER word                                     # intervalPrimary
  | callee LEFT_PAREN (STAR | DISTINCT? expr (COMMA expr)*)? RIGHT_PAREN # callPrimary
  | CASE expr? caseBranch+ (ELSE expr)? END                         # casePrimary
  | CAST LEFT_PAREN expr AS word RIGHT_PAREN                        # castPrimary
  | name step*                                                      # pathPrimary
  | DOUBLE_QUOTED step+                                             # quotedPathPrimary
  | LEFT_PAREN expr RIGHT_PAREN                                     # parenPrimary
  ;

caseBranch: WHEN expr THEN expr;

step
  : DOT word                                          # wordStep
  | DOT (SINGLE_QUOTED | DOUBLE_QUOTED)               # quotedStep
  | LEFT_BRACKET MINUS? NUMBER RIGHT_BRACKET          # indexStep
  | LEFT_BRACKET (SINGLE_QUOTED | DOUBLE_QUOTED) RIGHT_BRACKET # keyStep
  ;

literal
  : NULL                                                            # nullLiteral
  | TRUE                                                            # trueLiteral
  | FALSE                                                           # falseLiteral
  | NUMBER PERCENT_SUFFIX?                                          # numberLiteral
  | (SINGLE_QUOTED | DOUBLE_QUOTED)                                 # stringLiteral
  | LEFT_BRACKET (element (COMMA element)*)? RIGHT_BRACKET          # arrayLiteral
  | LEFT_BRACE (member (COMMA member)*)? RIGHT_BRACE                # objectLiteral
  ;

element: literal | MINUS NUMBER PERCENT_SUFFIX?;

member: (word | NUMBER | SINGLE_QUOTED | DOUBLE_QUOTED) COLON element;

// The first part of a path, where words that operators begin with would be ambiguous.
name
  : WORD
  | INTERVAL
  | clauseName
  ;

callee: WORD | CONTAINS | INCLUDES | clauseName;

// Anything that reads as a word: behind a dot, as an alias, as a key.
word
  : name
  | AS
  | ASC
  | DESC
  | AND
  | OR
  | NOT
  | IS
  | IN
  | NULL
  | TRUE
  | FALSE
  | INCLUDES
  | CONTAINS
  | LIKE
  | ILIKE
  | MATCH
  ;

clauseName: SELECT | DIMENSIONS | MEASURES | FROM | FILTER | FINAL_FILTER | TRACE_FILTER | SPAN_FILTER | SORT | SAMPLE | CURSOR | PREVIEW_LENGTH | UNPIVOT | PIVOT | INFER | LIMIT;
