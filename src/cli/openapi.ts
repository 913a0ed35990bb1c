/** `catalogue openapi`: prints the OpenAPI description, as the service answers it at `/`. */
import manifest from '../../package.json' with { type: 'json' };
import { products } from '../collection/products.ts';
import referenceProducts from '../collection/reference-products.json' with { type: 'json' };
import { readSettings } from '../config.ts';
import { type Described, openApiDocument } from '../openapi/document.ts';
import type { Command } from './command.ts';

export const DESCRIBED: Described = { collection: products, version: manifest.version, rows: referenceProducts };

export const openapi: Command = {
  name: 'openapi',
  summary: 'print the OpenAPI description of the service',
  help: () => `Usage: catalogue openapi

Prints the OpenAPI 3.1 description of the service as JSON, the same that it answers at / and /openapi.json.`,

  async run(args, env) {
    readSettings({}, args, env);
    console.log(JSON.stringify(openApiDocument(DESCRIBED), null, 2));
  },
};
