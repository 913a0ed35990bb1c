/**
 * The OpenAPI 3.1 description of the service. Nothing in it is written down twice: it is made from the collection's
 * declaration, the dialect's tables of operators, parameters and preferences, and the error catalogue.
 */
import type { Collection } from '../collection/declaration.ts';
import type { Row } from '../collection/value.ts';
import { collectionPath } from './collection-path.ts';
import { DESCRIPTION_PATHS, descriptionPath } from './description-path.ts';
import { filterParameters, logicParameters } from './filters.ts';
import { HEALTH_PATHS, healthPath } from './health-path.ts';
import { itemPath } from './item-path.ts';
import type { JsonObject } from './json.ts';
import { dialectParameters, headerParameters, keyParameters } from './parameters.ts';
import { errorResponses, headerComponents } from './responses.ts';
import { samplesOf } from './samples.ts';
import { changesSchema, newRowSchema, problemSchema, rowSchema, selectedRowSchema } from './schemas.ts';

export interface Described {
  readonly collection: Collection;
  readonly version: string;
  /** The licence of the service, as SPDX names it. */
  readonly license: string;
  /** Rows to show as examples; the first few are taken. */
  readonly rows: readonly Row[];
}

/** `prefix` is what a client puts before the paths of the service. */
export function openApiDocument({ collection, version, license, rows }: Described, prefix = ''): JsonObject {
  const samples = samplesOf(collection, rows);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Product Catalogue',
      version,
      description: `One collection, \`/${collection.name}\`, in PostgREST's dialect: filter with \`field=operator.value\`, choose with \`select\`, sort with \`order\`, page with \`limit\` and \`offset\`. Its clients work as they are.`,
      license: { name: license, identifier: license },
    },
    servers: [{ url: prefix === '' ? '/' : prefix }],
    // No credentials are asked for.
    security: [],
    tags: [
      { name: 'Read', description: 'Lists, single rows, counts and aggregates.' },
      { name: 'Write', description: 'Create, change, replace and delete; each request is one transaction.' },
      { name: 'Describe', description: 'What the service can do.' },
      { name: 'Observe', description: 'How the service is.' },
    ],
    paths: {
      [`/${collection.name}`]: collectionPath(collection, samples),
      [`/${collection.name}/{${collection.key[0]!.name}}`]: itemPath(collection, samples),
      ...Object.fromEntries(DESCRIPTION_PATHS.map((path) => [path, descriptionPath(path)])),
      ...Object.fromEntries(HEALTH_PATHS.map((path) => [path, healthPath(path)])),
    },
    components: {
      schemas: {
        Row: rowSchema(collection),
        SelectedRow: selectedRowSchema(),
        NewRow: newRowSchema(collection),
        Changes: changesSchema(collection),
        Problem: problemSchema(),
      },
      parameters: {
        ...filterParameters(collection, samples),
        ...logicParameters(collection, samples),
        ...dialectParameters(collection),
        ...keyParameters(collection, samples),
        ...headerParameters(samples),
      },
      headers: headerComponents(),
      responses: errorResponses(),
    },
  };
}
