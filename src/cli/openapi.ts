/** `catalogue openapi`: prints the OpenAPI description, as the service answers it at `/`. */

import { loadCatalogue } from '../declare/load-catalogue.ts';
import { describe } from '../openapi/described.ts';
import { openApiDocument } from '../openapi/document.ts';
import { SERVE_SETTINGS } from '../settings/by-command.ts';
import { COLLECTIONS } from '../settings/database.ts';
import { defineCommand, printDocument } from './shared/command.ts';

export const command = defineCommand({
  options: { collections: COLLECTIONS, basePath: SERVE_SETTINGS.basePath },
  usage: `Usage: catalogue openapi [flags]

Prints the OpenAPI 3.1 description of the service as JSON, the same that it answers at /openapi.json.`,
  async run({ values: { collections, basePath } }) {
    const begun = await loadCatalogue(collections, { withRows: true });
    printDocument(JSON.stringify(openApiDocument(describe(begun), basePath), null, 2));
  },
});
