// What query engines ask the catalog of tables about the project of a world.
import type { Request } from './outcomes.js';
import type { OwnWorld } from './world.js';

const namespaces = '/iceberg/v1/namespaces';

const below =
  (rest: string) =>
  ({ objects: { project } }: OwnWorld): Request => ({
    path: `${namespaces}/${project}${rest}`,
    isWhole: true,
  });

const operation = (method: string, rest: string) =>
  [`${method} ${namespaces}/:namespace${rest}`, below(rest)] as const;

export const tableRequests: Readonly<Record<string, (world: OwnWorld) => Request>> = {
  [`GET ${namespaces}`]: () => ({ path: namespaces, finds: '["p"]', isWhole: true }),
  ...Object.fromEntries([
    operation('GET', ''),
    operation('GET', '/tables'),
    operation('GET', '/tables/events'),
    operation('POST', '/tables/events/metrics'),
  ]),
};
