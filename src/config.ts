// The configuration: the settings as the environment and the command line have them, checked once at the start.
import { Type, type Static } from 'typebox';
import { Check } from 'typebox/value';
import { flagOf, settings, type Setting } from './settings.js';

type Settings = typeof settings;

export type Config = { readonly [K in keyof Settings]: Static<Settings[K]['schema']> };

/** The settings of a store, also of one that is only read. */
export const storeSettings = (config: Config) => ({
  dataDirectory: config.dataDir,
  queryMemoryMb: config.queryMemoryMb,
  queryThreads: config.queryThreads,
  queryTimeoutMs: config.queryTimeoutSeconds * 1000,
  queryConcurrency: config.queryConcurrency,
  queryQueueLength: config.queryQueue,
  cacheBytes: config.cacheGb * 1e9,
  fetchBytes: config.fetchGb * 1e9,
});

/** The maximum size of a request body in MB. */
export const bodyMegabytesMax = ({ bodyLimitMb, bodiesMemoryMb }: Config): number =>
  bodyLimitMb === 0 ? bodiesMemoryMb : Math.min(bodyLimitMb, bodiesMemoryMb);

/** Variables of clients on the same machine. */
const ofClients = new Set(['EVALSTORE_URL', 'EVALSTORE_KEY']);

/** The variables that look like settings and are none: usually misspelt. */
export function unknownSettings(
  environment: Readonly<Record<string, string | undefined>>,
): string[] {
  const known = new Set<string>(Object.values(settings).map(({ name }) => name));
  return Object.keys(environment).filter(
    (name) => name.startsWith('EVALSTORE_') && !known.has(name) && !ofClients.has(name),
  );
}

/** An environment variable has an invalid value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const isInteger = /^[+-]?\d+$/;

function readSetting(setting: Setting, given: string | undefined, called: string): unknown {
  if (given === undefined || given === '') return setting.default;
  const value = Type.IsInteger(setting.schema) && isInteger.test(given) ? Number(given) : given;
  if (!Check(setting.schema, value)) {
    const got = setting.isSecret === true ? '' : `, got "${given}"`;
    throw new ConfigError(`${called}: expected ${setting.expected}${got}`);
  }
  return value;
}

/** Settings from the command line, as they were given. */
export type Flags = Readonly<Partial<Record<keyof Settings, string>>>;

/**
 * Reads the configuration. An empty variable counts as absent.
 * @param flags settings that win over the environment
 * @throws ConfigError for the first invalid value
 */
export function readConfig(
  environment: Readonly<Record<string, string | undefined>>,
  flags: Flags = {},
): Config {
  return Object.fromEntries(
    Object.entries(settings).map(([key, setting]) => {
      const flag = flags[key as keyof Settings];
      return [
        key,
        flag === undefined
          ? readSetting(setting, environment[setting.name], setting.name)
          : readSetting(setting, flag, flagOf(setting)),
      ];
    }),
  ) as Config;
}
