// Serves the console: the files that the build made from src/console, and one page for every other path below /app. The list of files
// is read once, so no path of a request reaches the file system.
import { readFileSync, readdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Config } from '../config.js';
import type { RequestContext } from './state.js';

// Beside the compiled sources.
const directory = new URL('../../console/', import.meta.url);

const contentTypes: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

interface File {
  readonly contentType: string;
  readonly plain: Buffer;
  readonly gzip: Buffer;
}

const fileOf = (contentType: string, plain: Buffer): File => ({
  contentType,
  plain,
  gzip: gzipSync(plain, { level: 9 }),
});

/** The path of files below `/app/`. An organisation can also have the name `-`; only paths of files in the list are files. */
const filePath = (name: string): string => `/app/-/${name}`;

function readFiles(): ReadonlyMap<string, File> {
  const named = readdirSync(directory).flatMap((name) => {
    const contentType = contentTypes[name.split('.').at(-1) ?? ''];
    if (contentType === undefined) return [];
    const file = fileOf(contentType, readFileSync(new URL(name, directory)));
    return [[filePath(name), file] as const];
  });
  return new Map(named);
}

let cached: ReadonlyMap<string, File> | undefined;

/** Read on the first request, since most processes never get one. */
const files = (): ReadonlyMap<string, File> => (cached ??= readFiles());

/** Pages may load and run only files of this server. Scripts set some styles. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const entryNames = (): readonly string[] =>
  [...files().keys()].filter((path) => /\/main-[^/]*$/.test(path)).map((path) => path.slice(5));

const tagFor = (path: string): string =>
  path.endsWith('.css')
    ? `<link rel="stylesheet" href="${path}">`
    : `<script type="module" src="${path}"></script>`;

/** @param prefix the path of the public URL, without a trailing slash */
const pageOf = (prefix: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <base href="${prefix.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}/app/">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="referrer" content="no-referrer">
    <title>Evalstore</title>
    <link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%233a5bd9'/%3E%3Cpath d='M4 11V8m4 3V5m4 6V7' stroke='%23fff' stroke-width='2' stroke-linecap='round'/%3E%3C/svg%3E">
    ${entryNames().map(tagFor).join('\n    ')}
  </head>
  <body>
    <div id="console"></div>
    <noscript>The console of Evalstore needs JavaScript. The interface without it is described at /docs.</noscript>
  </body>
</html>
`;

const prefixOf = (publicUrl: string | null): string =>
  publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '');

function send(context: RequestContext, file: File, caching: string): void {
  const isPacked = context.acceptsEncodings('gzip', 'identity') === 'gzip';
  context.set('cache-control', caching);
  context.set('content-security-policy', contentSecurityPolicy);
  if (isPacked) context.set('content-encoding', 'gzip');
  // Set before the body, since Koa would otherwise derive a type from it.
  context.type = file.contentType;
  context.body = isPacked ? file.gzip : file.plain;
}

/** Whether the console has a page or file at this path. */
export const isConsolePath = (path: string): boolean =>
  path === '/' || path === '/app' || path.startsWith('/app/');

/** Where another address of a page leads. The pages at and below /docs name their files relative to their own address. */
function goalOf(path: string): string | undefined {
  if (path === '/') return '/app';
  return path.startsWith('/docs/') && path.endsWith('/') ? path.slice(0, -1) : undefined;
}

const isRead = ({ method }: RequestContext): boolean => method === 'GET' || method === 'HEAD';

/**
 * Answers GET of every path below `/app` and of those that lead elsewhere; returns whether it answered. The files are public,
 * so no key is required.
 */
export function consoleServer({
  publicUrl,
}: Pick<Config, 'publicUrl'>): (context: RequestContext) => boolean {
  const prefix = prefixOf(publicUrl);
  let page: File | undefined;
  return (context) => {
    const { path } = context;
    const goal = goalOf(path);
    if (!isRead(context) || (goal === undefined && !isConsolePath(path))) return false;
    context.state.headers.set(context);
    // From an address that begins with two slashes, browsers resolve the paths of the page as hosts.
    if (goal !== undefined || context.originalUrl.startsWith('//')) {
      context.set('cache-control', 'no-cache');
      context.redirect(prefix + (goal ?? context.url));
      return true;
    }
    const file = files().get(path);
    if (file !== undefined) send(context, file, 'public, max-age=31536000, immutable');
    else {
      // Browsers ignore these headers on plain HTTP, and log a warning.
      if (publicUrl?.startsWith('https:') !== true) {
        context.remove('cross-origin-opener-policy');
        context.remove('origin-agent-cluster');
      }
      page ??= fileOf('text/html; charset=utf-8', Buffer.from(pageOf(prefix)));
      send(context, page, 'no-cache');
    }
    return true;
  };
}
