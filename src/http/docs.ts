// The reference page, which is Swagger UI over /openapi.json, and the pages of the manual with their files, which the build made from
// src/manual. The build copies the files of Swagger UI. This server serves all of them.
import { createReadStream, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Reply } from '../service/reply.js';
import { noParameters, type Operation } from './operation.js';

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
    <p style="margin: 1rem 20px; font-family: sans-serif"><a href="docs/index">Manual</a></p>
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
const referencePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Pages of the manual run nothing. */
const manualPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const pageOperation = (address: string, answer: () => Reply): Operation => ({
  method: 'get',
  path: address,
  query: noParameters,
  run: answer,
});

const textOperation = (address: string, contentType: string, text: string): Operation =>
  pageOperation(address, () => ({
    contentType,
    headers: { 'content-security-policy': referencePolicy },
    text,
  }));

const fileOperation = (
  address: string,
  file: string,
  contentType: string,
  policy: string,
): Operation =>
  pageOperation(address, () => ({
    contentType,
    headers: { 'content-security-policy': policy, 'cache-control': 'no-cache' },
    length: statSync(file).size,
    body: createReadStream(file),
  }));

// Beside the compiled sources.
const referenceDirectory = fileURLToPath(new URL('../../reference/', import.meta.url));

const referenceFile = (name: string, contentType: string): Operation =>
  fileOperation(`/docs/${name}`, path.join(referenceDirectory, name), contentType, referencePolicy);

// Beside the compiled sources.
const manualDirectory = fileURLToPath(new URL('../../manual/', import.meta.url));

const manualTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.png': 'image/png',
  '.py': 'text/x-python; charset=utf-8',
  '.whl': 'application/octet-stream',
};

const manualFile = (file: string): Operation =>
  fileOperation(
    `/docs/${path.basename(file, '.html')}`,
    path.join(manualDirectory, file),
    manualTypes[path.extname(file)]!,
    manualPolicy,
  );

export const docsOperations: readonly Operation[] = [
  textOperation('/docs', 'text/html; charset=utf-8', page),
  textOperation('/docs/start.js', 'text/javascript; charset=utf-8', start),
  referenceFile('swagger-ui-bundle.js', 'text/javascript; charset=utf-8'),
  referenceFile('swagger-ui.css', 'text/css; charset=utf-8'),
  ...readdirSync(manualDirectory).map(manualFile),
];
