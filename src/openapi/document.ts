/**
 * The OpenAPI 3.1 description of the service. Nothing in it is written down twice: it is made from the declaration of the
 * collections, the dialect's tables of operators, parameters and preferences, and the error catalogue.
 */
import type { Catalogue, Collection } from '../collection/declaration.ts';
import { allowed, askingCredentials, hasRoles, pruned, samplesFor, withKeyFields, written } from './by-role.ts';
import { collectionPath } from './collection-path.ts';
import { owned } from './component.ts';
import type { Described } from './described.ts';
import { DESCRIPTION_PATHS, descriptionPath } from './description-path.ts';
import { filterParameters, logicParameters } from './filters.ts';
import { HEALTH_PATHS, healthPath } from './health-path.ts';
import { itemPath } from './item-path.ts';
import type { JsonObject } from './json.ts';
import { dialectParameters, keyParameters, sharedParameters, versionParameters } from './parameters.ts';
import { errorResponses, headerComponents } from './responses.ts';
import type { Samples } from './samples.ts';
import { changesSchema, newRowSchema, problemSchema, rowSchema, selectedRowSchema } from './schemas.ts';

/** `prefix` is what a client puts before the paths of the service. */
export function openApiDocument({ catalogue, version, license, rows }: Described, prefix = ''): JsonObject {
  const collections = [...catalogue.collections.values()].map(withKeyFields);
  const parts = collections.map((each) => collectionParts(each, samplesFor(each, rows)));
  const isByRole = hasRoles(catalogue);
  const document: JsonObject = {
    openapi: '3.1.0',
    info: {
      title: 'Product Catalogue',
      version,
      description: `${served(catalogue)}, in PostgREST's dialect: filter with \`field=operator.value\`, choose with \`select\`, sort with \`order\`, page with \`limit\` and \`offset\`. Its clients work as they are.`,
      license: { name: license, identifier: license },
    },
    servers: [{ url: prefix === '' ? '/' : prefix }],
    // Without roles no credentials are asked for; with them, some may do without.
    security: isByRole ? [{ bearer: [] }, {}] : [],
    tags: [
      ...collections.map(collectionTag),
      { name: 'Describe', description: 'What the service can do.' },
      { name: 'Observe', description: 'How the service is.' },
    ],
    paths: {
      ...merged(parts.map(({ paths }) => paths)),
      ...Object.fromEntries(DESCRIPTION_PATHS.map((path) => [path, descriptionPath(path)])),
      ...Object.fromEntries(HEALTH_PATHS.map((path) => [path, healthPath(path)])),
    },
    components: {
      schemas: {
        ...merged(parts.map(({ schemas }) => schemas)),
        SelectedRow: selectedRowSchema(),
        Problem: problemSchema(),
      },
      parameters: { ...merged(parts.map(({ parameters }) => parameters)), ...sharedParameters() },
      headers: headerComponents(),
      responses: errorResponses(isByRole),
      ...(isByRole ? { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } } : {}),
    },
  };
  return isByRole ? pruned(askingCredentials(document)) : document;
}

function served({ collections }: Catalogue): string {
  const paths = [...collections.keys()].map((name) => `\`/${name}\``);
  return paths.length === 1 ? `One collection, ${paths[0]}` : `The collections ${paths.join(', ')}`;
}

function collectionTag({ name, title, description }: Collection): JsonObject {
  const words = [title, description].filter((each) => each !== undefined).join(': ');
  return {
    name,
    description: words === '' ? `Read and write ${name}; each request is one transaction.` : words,
  };
}

function collectionParts(collection: Collection, samples: Samples) {
  const { name, key } = collection;
  return {
    paths: {
      [`/${name}`]: allowed(collection, 'collection', collectionPath(collection, samples)),
      // A key of several fields has no path of its own.
      ...(key.length === 1
        ? { [`/${name}/{${key[0]!.name}}`]: allowed(collection, 'item', itemPath(collection, samples)) }
        : {}),
    },
    schemas: owned(collection, {
      Row: rowSchema(collection),
      NewRow: newRowSchema(written(collection, 'creates', samples)[0]),
      Changes: changesSchema(written(collection, 'updates', samples)[0]),
    }),
    parameters: owned(collection, {
      ...filterParameters(collection, samples),
      ...logicParameters(collection, samples),
      ...dialectParameters(collection),
      ...keyParameters(collection, samples),
      ...versionParameters(collection, samples),
    }),
  };
}

function merged(parts: readonly Readonly<Record<string, JsonObject>>[]): Record<string, JsonObject> {
  return Object.assign({}, ...parts);
}
