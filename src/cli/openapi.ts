/** `catalogue openapi`: prints the OpenAPI description, as the service answers it at `/`. */

import { loadCatalogue } from '../declare/load-catalogue.ts';
import { describe, openApiDocument } from '../openapi/document.ts';
import { describeSettings, readSettings, SERVE_SETTINGS } from '../settings/by-command.ts';
import { COLLECTIONS } from '../settings/database.ts';
import type { Command } from './shared/command.ts';
import { printDocument } from './shared/output.ts';

const SETTINGS = { collections: COLLECTIONS, basePath: SERVE_SETTINGS.basePath } as const;

export const command: Command = {
  help: () => `Usage: catalogue openapi [flags]

Prints the OpenAPI 3.1 description of the service as JSON, the same that it answers at /openapi.json.

${describeSettings(SETTINGS)}`,

  async run(args, env) {
    const { collections, basePath } = readSettings(SETTINGS, args, env);
    const begun = await loadCatalogue(collections, { withRows: true });
    printDocument(JSON.stringify(openApiDocument(describe(begun), basePath), null, 2));
  },
};
