// The target of a request as a path and a query. Of other targets, Koa parses the host, and throws if it is invalid.
import type { Step } from './state.js';

/** Scheme and host: a client of a proxy sends the whole URL. */
const origin = /^[a-z]+:\/\/[^/?#]*/i;

const fragment = /#.*/;

/** Some clients join a base URL that ends with a slash to a path that begins with one. */
const repeatedSlashes = /\/{2,}/g;

function plain(target: string): string {
  const [path = '', ...query] = target.replace(origin, '').replace(fragment, '').split('?');
  return [`/${path}`.replace(repeatedSlashes, '/'), ...query].join('?');
}

const isPlain = (target: string): boolean =>
  target.startsWith('/') && !target.includes('//') && !target.includes('#');

export const simplifyTarget: Step = ({ req }) => {
  const { url = '' } = req;
  if (!isPlain(url)) req.url = plain(url);
};
