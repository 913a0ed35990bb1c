/**
 * The OpenAPI 3.1 document, generated from the declaration, the dialect's tables and the error catalogue. It builds
 * each entry when the consumer asks for it, so that 1,000 collections never delay other requests.
 */

import { runToEnd, type Task } from '../base/cooperative.ts';
import { memoize } from '../base/memo.ts';
import { pathPart } from '../base/net/query-string.ts';
import { CHANGES_NAME } from '../collection/change-log.ts';
import type { Catalogue, Collection } from '../collection/declaration.ts';
import { isFiles, servedName } from '../collection/files.ts';
import { BATCH_PATH, RPC_PATH, shortestPath, UNDO_PATH } from '../http/own-paths.ts';
import { requestBodies } from './bodies.ts';
import {
  allowedOperations,
  askCredentials,
  hasRoles,
  mayDelete,
  mayWrite,
  samplesFor,
  withKeyFields,
  writableBy,
} from './by-role.ts';
import { componentName, own as owned } from './component.ts';
import type { Described } from './describe.ts';
import { filterParameters, logicParameters } from './filters.ts';
import type { Json, JsonObject } from './json.ts';
import { dialectParameters, keyParameters, sharedParameters, versionParameters } from './parameters.ts';
import { BATCH_BODY, batchBody, batchPath } from './paths/batch-path.ts';
import { DESCRIPTION_PATHS, descriptionPath } from './paths/description-path.ts';
import {
  FILE_BODY,
  FILE_TAG,
  fieldPaths,
  fileBody,
  fileParameters,
  filePaths,
  fileSchema,
  hasFileOperations,
  uploadOperation,
} from './paths/file-paths.ts';
import { HEALTH_PATHS, healthPath } from './paths/health-path.ts';
import { collectionOf, routinePath } from './paths/routine-path.ts';
import { collectionPath, itemPath } from './paths/row-paths.ts';
import { undoFilters, undoPath } from './paths/undo-path.ts';
import { errorResponses, headerComponents } from './responses.ts';
import { SHAPES } from './row-shape.ts';
import type { Samples } from './samples.ts';
import {
  changesSchema,
  newRowSchema,
  operationSchemas,
  problemSchema,
  rowSchema,
  selectedRowSchema,
} from './schemas.ts';

type Entry = readonly [name: string, value: JsonObject];

/** The members of the document. Consume the entries in this order: a later section omits unused components. */
interface Parts {
  readonly head: JsonObject;
  readonly paths: Iterable<Entry>;
  readonly components: readonly (readonly [section: string, entries: Iterable<Entry>])[];
}

const SERVICE_TAGS: readonly JsonObject[] = [
  { name: 'Batch', description: 'Several writes in one transaction.' },
  { name: 'History', description: 'The log of changes.' },
  { name: 'Describe', description: 'The descriptions of the API.' },
  { name: 'Observe', description: 'Health and metrics of the service.' },
];

/** The collections that the description of the whole document names. */
const MAX_NAMED = 50;

/** `prefix` is the path that a client puts before the paths of the service. */
export function openApiDocument(described: Described, prefix = ''): JsonObject {
  return runToEnd(buildDocument(described, prefix));
}

/** Builds the document, one entry per step. */
export function* buildDocument(described: Described, prefix = ''): Task<JsonObject> {
  const { head, paths, components } = partsOf(described, prefix);
  const sections: Record<string, JsonObject> = {};
  const built = { ...head, paths: yield* objectOf(paths), components: sections };
  for (const [section, entries] of components) sections[section] = yield* objectOf(entries);
  return built;
}

function* objectOf(entries: Iterable<Entry>): Task<JsonObject> {
  const object: Record<string, JsonObject> = {};
  for (const [name, value] of entries) {
    object[name] = value;
    yield;
  }
  return object;
}

/** The same document as JSON text, one entry at a time. */
export function* openApiText(described: Described, prefix = ''): Generator<string> {
  const { head, paths, components } = partsOf(described, prefix);
  yield `${JSON.stringify(head).slice(0, -1)},"paths":`;
  yield* objectText(paths);
  yield ',"components":';
  let separator = '{';
  for (const [section, entries] of components) {
    yield `${separator}${JSON.stringify(section)}:`;
    yield* objectText(entries);
    separator = ',';
  }
  yield '}}';
}

function* objectText(entries: Iterable<Entry>): Generator<string> {
  let separator = '{';
  for (const [name, value] of entries) {
    yield `${separator}${JSON.stringify(name)}:${JSON.stringify(value)}`;
    separator = ',';
  }
  yield separator === '{' ? '{}' : '}';
}

/** The description of one collection, without the paths of the service itself. */
export function onlyCollection(described: Described, name: string): Described {
  const { catalogue } = described;
  const collections = new Map([[name, catalogue.collections.get(name)!]]);
  return { ...described, catalogue: { ...catalogue, collections }, withoutService: true };
}

/** The description of the paths of the service itself, without declared collections. */
export function onlyService(described: Described): Described {
  return { ...described, withoutCollections: true };
}

/** The declared collections, then those of the service unless a declared one hides it or the caller may not read it. */
function describedCollections(described: Described): readonly Collection[] {
  const { catalogue, withoutService = false, withoutCollections = false } = described;
  const { collections, builtIn, closed } = catalogue;
  const isShown = (each: Collection) => !collections.has(each.name) && !closed?.has(each.name) && each.among.size > 0;
  return [
    ...(withoutCollections ? [] : collections.values()),
    ...(withoutService ? [] : [...builtIn.values()].map(underServedName).filter(isShown)),
  ];
}

/** Files as paths and components name them. */
const underServedName = memoize((each: Collection): Collection => ({ ...each, name: servedName(each.name) }));

function partsOf(described: Described, prefix: string): Parts {
  const { catalogue, rows, withoutService = false } = described;
  const isByRole = hasRoles(catalogue);
  const samplesOf = memoize((each: Collection) => samplesFor(each, rows));
  const each = function* (entriesOf: (collection: Collection, samples: Samples) => Iterable<Entry>) {
    for (const collection of describedCollections(described)) {
      const readable = withKeyFields(collection);
      yield* entriesOf(readable, samplesOf(readable));
    }
  };
  const own = (entriesOf: (collection: Collection, samples: Samples) => Iterable<Entry>) =>
    each(function* (collection, samples) {
      for (const [name, value] of entriesOf(collection, samples)) yield [owned(collection, name), value];
    });
  const used = new Set<string>();
  const section = (name: string, ...sources: readonly Iterable<Entry>[]) =>
    [name, components(name, sources, used)] as const;
  return {
    head: headOf(described, prefix),
    paths: collectReferences(used, [
      each((collection, samples) => secured(pathsOf(collection, samples, catalogue), isByRole)),
      each((collection) => secured(routinePaths(catalogue, collection), isByRole)),
      ...(withoutService ? [] : [secured(routinePaths(catalogue), isByRole)]),
      ...(withoutService ? [] : [secured(servicePaths(catalogue), isByRole)]),
    ]),
    components: [
      section(
        'parameters',
        own(parametersOf),
        Object.entries({ ...sharedParameters(), ...undoFilters(), ...fileParameters() }),
      ),
      section(
        'requestBodies',
        own((...of) => Object.entries(requestBodies(...of))),
        [
          [BATCH_BODY, batchBody([...catalogue.collections.values()].find(mayDelete))],
          [FILE_BODY, fileBody()],
        ],
      ),
      section('responses', Object.entries(errorResponses(isByRole, catalogue.routines.size > 0))),
      section('headers', Object.entries(headerComponents())),
      section(
        'schemas',
        own(schemasOf),
        Object.entries({ SelectedRow: selectedRowSchema(), Problem: problemSchema(), ...operationSchemas() }),
        fileSchema(catalogue),
      ),
      ...(isByRole ? [['securitySchemes', [['bearer', { type: 'http', scheme: 'bearer' }] as const]] as const] : []),
    ],
  };
}

function headOf(described: Described, prefix: string): JsonObject {
  const { catalogue, version, license, withoutService } = described;
  return {
    openapi: '3.1.0',
    info: {
      title: 'Product Catalogue',
      version,
      description: `${served(described)}, in PostgREST's dialect: filter with \`field=operator.value\`, choose with \`select\`, sort with \`order\`, page with \`limit\` and \`offset\`. PostgREST clients work unchanged.`,
      license: { name: license, identifier: license },
    },
    servers: [{ url: prefix === '' ? '/' : prefix }],
    // Without roles the service asks for no credentials. With roles, anonymous callers may still be allowed.
    security: hasRoles(catalogue) ? [{ bearer: [] }, {}] : [],
    tags: [...describedCollections(described).map(collectionTag), ...(withoutService ? [] : serviceTags(catalogue))],
  };
}

function serviceTags(catalogue: Catalogue): readonly JsonObject[] {
  const hasFunctions = [...catalogue.routines.values()].some(([first]) => collectionOf(first!) === undefined);
  return [
    ...(hasFunctions ? [{ name: 'Functions', description: 'Functions of the database.' }] : []),
    ...(hasFileOperations(catalogue) ? [FILE_TAG] : []),
    ...SERVICE_TAGS,
  ];
}

function served({ catalogue: { collections }, withoutCollections }: Described): string {
  if (withoutCollections === true) return 'The collections';
  const paths = [...collections.keys()].slice(0, MAX_NAMED).map((name) => `\`/${pathPart(name)}\``);
  const rest = collections.size - paths.length;
  if (collections.size < 2) return paths.length === 0 ? 'The collections' : `One collection, ${paths[0]}`;
  return `The collections ${paths.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

function collectionTag({ name, title, description }: Collection): JsonObject {
  const words = [title, description].filter((each) => each !== undefined).join(': ');
  return {
    name,
    description: words === '' ? `Read and write ${name}; each request is one transaction.` : words,
  };
}

/** With roles, an operation may need credentials. */
function* secured(paths: Iterable<Entry>, isByRole: boolean): Generator<Entry> {
  for (const [name, path] of paths) yield [name, isByRole ? askCredentials(path) : path];
}

function* pathsOf(collection: Collection, samples: Samples, catalogue: Catalogue): Generator<Entry> {
  const { name, key } = collection;
  for (const shape of SHAPES) {
    const path = `${shape.root}/${pathPart(name)}`;
    const rows = allowedOperations(collection, 'collection', collectionPath(collection, samples, shape));
    yield [path, isFiles(collection) && !shape.isFree ? { ...rows, ...uploadOperation(catalogue) } : rows];
    // A key of several fields has no path of its own.
    if (key.length !== 1) continue;
    const item = allowedOperations(collection, 'item', itemPath(collection, samples, shape));
    yield [`${path}/{${componentName(key[0]!.name)}}`, item];
  }
  yield* fieldPaths(collection);
}

/** The routines that return rows of the collection, or, without one, no rows of a declared collection. */
function* routinePaths(catalogue: Catalogue, of?: Collection): Generator<Entry> {
  // OpenAPI has one operation for each path and method: of several functions with one name it shows the first.
  for (const [routine] of catalogue.routines.values()) {
    if (routine === undefined || collectionOf(routine)?.name !== of?.name) continue;
    yield [`${shortestPath(RPC_PATH, catalogue)}/${pathPart(routine.name)}`, routinePath(routine)];
  }
}

function* servicePaths(catalogue: Catalogue): Generator<Entry> {
  // A role that may not write anything has no use for them.
  const writing = [
    [BATCH_PATH, batchPath()],
    [UNDO_PATH, undoPath(catalogue.builtIn.get(CHANGES_NAME)!)],
  ] as const;
  for (const [name, path] of [...catalogue.collections.values()].some(mayWrite) ? writing : []) {
    yield [shortestPath(name, catalogue), path];
  }
  yield* filePaths(catalogue);
  for (const path of DESCRIPTION_PATHS) yield [shortestPath(path, catalogue), descriptionPath(path)];
  for (const path of HEALTH_PATHS) yield [shortestPath(path, catalogue), healthPath(path)];
}

function* schemasOf(collection: Collection, samples: Samples): Generator<Entry> {
  yield ['Row', rowSchema(collection)];
  yield ['NewRow', newRowSchema(writableBy(collection, 'creates', samples)[0])];
  yield ['Changes', changesSchema(writableBy(collection, 'updates', samples)[0])];
}

function* parametersOf(collection: Collection, samples: Samples): Generator<Entry> {
  yield* filterParameters(collection, samples);
  yield* Object.entries({
    ...logicParameters(collection, samples),
    ...dialectParameters(collection),
    ...keyParameters(collection, samples),
    ...versionParameters(collection, samples),
  });
}

/** The components that an earlier entry refers to. */
function* components(section: string, sources: readonly Iterable<Entry>[], used: Set<string>): Generator<Entry> {
  const isUsed = ([name]: Entry) => used.has(`#/components/${section}/${name}`);
  yield* collectReferences(
    used,
    sources.map((entries) => filtered(entries, isUsed)),
  );
}

function* filtered(entries: Iterable<Entry>, keeps: (entry: Entry) => boolean): Generator<Entry> {
  for (const entry of entries) if (keeps(entry)) yield entry;
}

/** Passes all entries on and adds what they refer to. */
function* collectReferences(used: Set<string>, sources: readonly Iterable<Entry>[]): Generator<Entry> {
  for (const entries of sources) {
    for (const entry of entries) {
      addReferences(used, entry[1]);
      yield entry;
    }
  }
}

function addReferences(used: Set<string>, value: Json | undefined): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, child] of Object.entries(value)) {
    if (name === '$ref' && typeof child === 'string') used.add(child);
    else addReferences(used, child);
  }
}
