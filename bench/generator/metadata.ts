// Draws -> the metadata of a trace: twenty keys, of which some are rare, nested, or of mixed types.
import type { Draw } from './draw.js';
import type { Profile } from './profile.js';

export const models = [
  'gpt-4o',
  'claude-3-5-sonnet',
  'gpt-4o-mini',
  'llama-3-70b',
  'mistral-large',
  'gemini-1.5-pro',
];
const environments = ['production', 'staging', 'development'];
const regions = ['us-east-1', 'eu-west-1', 'ap-south-1', 'us-west-2'];
const tiers = ['free', 'team', 'business', 'enterprise'];
const languages = ['en', 'de', 'fr', 'es', 'ja', 'pt', 'zh'];
const reasons = ['angry customer', 'legal', 'outage', 'security'];

/** Money in units of 1/1,000,000 would be integers; real clients send fractions. */
const cents = (value: number): number => Math.round(value * 1e6) / 1e6;

/** Early versions were numbers, later ones have names, and some clients send objects. */
function promptVersion(draw: Draw): unknown {
  const version = draw.integer(1, 12);
  const kind = draw.uniform();
  if (kind < 0.55) return version;
  if (kind < 0.95) return `v${version}`;
  return kind < 0.98 ? String(version) : kind < 0.99;
}

const optional: Readonly<Record<string, (draw: Draw) => unknown>> = {
  session_id: (draw) => draw.hex(16),
  region: (draw) => draw.pickSkewed(regions),
  language: (draw) => draw.pickSkewed(languages),
  temperature: (draw) => draw.pick([0, 0.2, 0.5, 0.7, 1]),
  top_p: (draw) => draw.pick([0.9, 0.95, 1]),
  max_tokens: (draw) => draw.pick([256, 1024, 4096]),
  cache_hit: (draw) => draw.chance(0.3),
  cost_usd: (draw) => cents(draw.logUniform(0.0001, 0.5)),
  release: (draw) => `2024.${draw.integer(1, 12)}.${draw.integer(0, 9)}`,
  'experiment branch': (draw) => draw.pick(['control', 'treatment']),
  features: (draw) => ({
    rerank: draw.chance(0.5),
    rag: { k: draw.integer(1, 20), index: 'docs' },
  }),
  retries: (draw) => Math.floor(draw.uniform() ** 6 * 5),
};

const rare: Readonly<Record<string, readonly [number, (draw: Draw) => unknown]>> = {
  escalation: [0.002, (draw) => ({ reason: draw.pick(reasons), level: draw.integer(1, 3) })],
  debug_trace: [0.0005, (draw) => draw.hex(64)],
  legacy_id: [0.01, (draw) => (draw.chance(0.5) ? draw.integer(1, 1e9) : draw.hex(12))],
  reviewer: [0.02, (draw) => `reviewer-${draw.integer(1, 40)}@example.com`],
};

export function drawMetadata(draw: Draw, profile: Profile): Readonly<Record<string, unknown>> {
  const metadata: Record<string, unknown> = {
    model: draw.pickSkewed(models),
    environment: draw.pickSkewed(environments),
    user_id: `user-${Math.floor(draw.logUniform(1, 20_000))}`,
    customer: { tier: draw.pickSkewed(tiers), seats: draw.integer(1, 500) },
  };
  if (draw.chance(0.9)) metadata['prompt_version'] = promptVersion(draw);
  for (const [key, value] of Object.entries(optional))
    if (draw.chance(profile.metadataShare)) metadata[key] = value(draw);
  for (const [key, [share, value]] of Object.entries(rare))
    if (draw.chance(share)) metadata[key] = value(draw);
  return metadata;
}
