// The reference page: Swagger UI over /openapi.json. This server serves all its files.
import { createReadStream, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Reply } from '../service/reply.js';
import { noParameters, type Operation } from './operation.js';

const require = createRequire(import.meta.url);
const packageDirectory = path.dirname(require.resolve('swagger-ui-dist/package.json'));

// Relative URLs, since a proxy may serve the server below a path.
const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Evalstore API reference</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="docs/swagger-ui.css">
  </head>
  <body>
    <div id="reference"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

const start = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  filter: true,
  validatorUrl: null,
});
`;

/** The page loads only files of this server. Scripts set some styles, and the styles contain icons. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const headers = { 'content-security-policy': contentSecurityPolicy };

const pageOperation = (address: string, answer: () => Reply): Operation => ({
  method: 'get',
  path: address,
  query: noParameters,
  run: answer,
});

const textOperation = (address: string, contentType: string, text: string): Operation =>
  pageOperation(address, () => ({ contentType, headers, text }));

function fileOperation(name: string, contentType: string): Operation {
  const file = path.join(packageDirectory, name);
  return pageOperation(`/docs/${name}`, () => ({
    contentType,
    headers,
    length: statSync(file).size,
    body: createReadStream(file),
  }));
}

export const docsOperations: readonly Operation[] = [
  textOperation('/docs', 'text/html; charset=utf-8', page),
  textOperation('/docs/start.js', 'text/javascript; charset=utf-8', start),
  fileOperation('swagger-ui-bundle.js', 'text/javascript; charset=utf-8'),
  fileOperation('swagger-ui.css', 'text/css; charset=utf-8'),
];
