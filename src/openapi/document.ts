/**
 * The OpenAPI 3.1 description of the service. Nothing in it is written down twice: it is made from the collection's
 * declaration, the dialect's tables of operators, parameters and preferences, and the error catalogue.
 */
import type { Collection } from '../collection/declaration.ts';
import type { Row } from '../collection/value.ts';
import { collectionPath } from './collection-path.ts';
import { DESCRIPTION_PATHS, descriptionPath } from './description-path.ts';
import { HEALTH_PATHS, healthPath } from './health-path.ts';
import { itemPath } from './item-path.ts';
import type { Json, JsonObject } from './json.ts';
import { dialectParameters, filterParameters, headerParameters, logicParameters } from './parameters.ts';
import { errorResponses, headerComponents } from './responses.ts';
import { changesSchema, newRowSchema, problemSchema, rowSchema } from './schemas.ts';

export interface Described {
  readonly collection: Collection;
  readonly version: string;
  /** Rows to show as examples; the first few are taken. */
  readonly rows: readonly Row[];
}

/** `prefix` is what a client puts before the paths of the service. */
export function openApiDocument({ collection, version, rows }: Described, prefix = ''): JsonObject {
  const samples = rows.slice(0, 2);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Product Catalogue',
      version,
      description: `One collection, \`/${collection.name}\`, in PostgREST's dialect: filter with \`field=operator.value\`, choose with \`select\`, sort with \`order\`, page with \`limit\` and \`offset\`. Its clients work as they are.`,
    },
    servers: [{ url: prefix === '' ? '/' : prefix }],
    tags: [
      { name: 'Read', description: 'Lists, single rows, counts and aggregates.' },
      { name: 'Write', description: 'Create, change, replace and delete; each request is one transaction.' },
      { name: 'Describe', description: 'What the service can do.' },
      { name: 'Observe', description: 'How the service is.' },
    ],
    paths: {
      [`/${collection.name}`]: collectionPath(collection, samples),
      [`/${collection.name}/{${collection.key.name}}`]: itemPath(collection, samples),
      ...Object.fromEntries(DESCRIPTION_PATHS.map((path) => [path, descriptionPath(path)])),
      ...Object.fromEntries(HEALTH_PATHS.map((path) => [path, healthPath(path)])),
    },
    components: {
      schemas: {
        Row: rowSchema(collection),
        NewRow: newRowSchema(collection),
        Changes: changesSchema(collection),
        Problem: problemSchema(),
      },
      parameters: {
        ...filterParameters(collection, samples[0] ?? emptyRow(collection)),
        ...logicParameters(collection),
        ...dialectParameters(collection),
        ...headerParameters(collection, samples[0] ?? emptyRow(collection)),
      } as Record<string, Json>,
      headers: headerComponents(),
      responses: errorResponses(),
    },
  };
}

function emptyRow({ fields }: Collection): Row {
  return Object.fromEntries(fields.map((field) => [field.name, null]));
}
