// The paths inside the generated JSON that the questions and the ideal file know as typed columns.

export type LeafType = 'number' | 'text' | 'flag';

export interface LeafColumn {
  readonly name: string;
  readonly column: 'scores' | 'metadata' | 'metrics' | 'context' | 'span_attributes';
  readonly path: readonly string[];
  readonly type: LeafType;
  /** The path has values of other types too, which this column leaves out. */
  readonly isMixed: boolean;
}

type Paths = Readonly<Record<string, LeafType | readonly [LeafType, ...string[]]>>;

export const leaves = (column: LeafColumn['column'], paths: Paths): readonly LeafColumn[] =>
  Object.entries(paths).map(([name, leaf]) => {
    const [type, ...path] = typeof leaf === 'string' ? [leaf, name] : leaf;
    return { name, column, path, type, isMixed: /_(number|text|flag)$/.test(name) };
  });

export const leafColumns: readonly LeafColumn[] = [
  ...leaves('scores', {
    factuality: ['number', 'Factuality'],
    relevance: ['number', 'Relevance'],
    coherence: ['number', 'Coherence'],
    toxicity: ['number', 'Toxicity'],
    conciseness: ['number', 'Conciseness'],
    answer_correctness: ['number', 'Answer Correctness'],
  }),
  ...leaves('metadata', {
    model: 'text',
    environment: 'text',
    user_id: 'text',
    tier: ['text', 'customer', 'tier'],
    seats: ['number', 'customer', 'seats'],
    prompt_version_number: ['number', 'prompt_version'],
    prompt_version_text: ['text', 'prompt_version'],
    prompt_version_flag: ['flag', 'prompt_version'],
    session_id: 'text',
    region: 'text',
    language: 'text',
    temperature: 'number',
    top_p: 'number',
    max_tokens: 'number',
    cache_hit: 'flag',
    cost_usd: 'number',
    release: 'text',
    experiment_arm: ['text', 'experiment branch'],
    rerank: ['flag', 'features', 'rerank'],
    rag_k: ['number', 'features', 'rag', 'k'],
    rag_index: ['text', 'features', 'rag', 'index'],
    retries: 'number',
    escalation_reason: ['text', 'escalation', 'reason'],
    escalation_level: ['number', 'escalation', 'level'],
    debug_trace: 'text',
    legacy_id_number: ['number', 'legacy_id'],
    legacy_id_text: ['text', 'legacy_id'],
    reviewer: 'text',
  }),
  ...leaves('metrics', {
    start_time: ['number', 'start'],
    end_time: ['number', 'end'],
    prompt_tokens: 'number',
    completion_tokens: 'number',
    tokens: 'number',
    time_to_first_token: 'number',
  }),
  ...leaves('context', {
    caller_functionname: 'text',
    caller_lineno: 'number',
  }),
  ...leaves('span_attributes', {
    span_name: ['text', 'name'],
    span_type: ['text', 'type'],
    span_purpose: ['text', 'purpose'],
  }),
];

/** The columns of an event in the file of generated events, with the types that SQL gives them. */
export const plainColumns = [
  'id',
  'created',
  'span_id',
  'root_span_id',
  'span_parents',
  'tags',
] as const;

export const jsonTextColumns = [
  'input',
  'output',
  'expected',
  'scores',
  'metadata',
  'metrics',
  'context',
  'span_attributes',
] as const;
