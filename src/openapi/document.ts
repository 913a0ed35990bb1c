/** The OpenAPI 3.1 document, generated from the declaration, the dialect's tables and the error catalogue. */
import { runToEnd, type Task } from '../base/cooperative.ts';
import { memoize } from '../base/memo.ts';
import { pathPart } from '../base/net/query-string.ts';
import { mayWriteAny } from '../collection/access/views.ts';
import type { Catalogue, Collection } from '../collection/declaration.ts';
import { isFiles, servedName } from '../collection/files.ts';
import { isMany, type Relation, relationsOf } from '../collection/relations.ts';
import { printName } from '../dialect/print.ts';
import { BODY_TYPES } from '../http/body/parse-body.ts';
import { SUPABASE_PREFIX } from '../http/edge/prefix.ts';
import { BATCH_PATH, RPC_PATH, shortestPath, UNDO_PATH } from '../http/target.ts';
import { relationsNamed } from '../plan/read/relate.ts';
import { hasRoles, withKeyFields } from './by-role.ts';
import { Components, componentName, type JsonObject } from './component.ts';
import type { Described } from './described.ts';
import { FILE_TAG, fieldPaths, filePaths, hasFileOperations, uploadOperation } from './paths/file-paths.ts';
import { ACTION_TAG, collectionOf, routinePath } from './paths/routine-path.ts';
import { collectionPath, itemPath } from './paths/row-paths.ts';
import { batchPath, SERVICE_PATHS, servicePath, undoPath } from './paths/service-paths.ts';
import { MEDIA_WORDS } from './responses.ts';

type Entry = readonly [path: string, item: JsonObject];

/** `prefix` is the path that a client puts before the paths of the service. */
export function openApiDocument(described: Described, prefix = ''): JsonObject {
  return runToEnd(buildDocument(described, prefix));
}

/** Builds the document, one collection per step: the collections first, the paths of the service itself last. */
export function* buildDocument(described: Described, prefix = ''): Task<JsonObject> {
  const { catalogue } = described;
  const { collections, builtIn, closed } = catalogue;
  const isShown = ({ name, among, view }: Collection) =>
    !collections.has(name) && !closed?.has(name) && among.size > 0 && view?.rights.length !== 0;
  const own = [...builtIn.values()].map(underServedName).filter(isShown);
  const components = new Components();
  const paths: Record<string, JsonObject> = {};
  for (const collection of [...collections.values(), ...own]) {
    addPaths(paths, rowPaths(components, collection, described));
    addPaths(paths, routinePaths(components, catalogue, collection));
    yield;
  }
  addPaths(paths, routinePaths(components, catalogue));
  addPaths(paths, servicePaths(components, catalogue));
  const isByRole = hasRoles(catalogue);
  return {
    openapi: '3.1.0',
    info: infoOf(described),
    servers: serversOf(prefix),
    // Without roles the service asks for no credentials. With roles, anonymous callers may still be allowed.
    security: isByRole ? [{ bearer: [] }, {}] : [],
    tags: [...[...collections.values(), ...own].map(collectionTag), ...serviceTags(catalogue)],
    paths,
    components: {
      ...(components.sections as JsonObject),
      ...(isByRole ? { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } } : {}),
    },
  };
}

/** Every path is also below the prefix of Supabase's clients. */
function serversOf(prefix: string): JsonObject[] {
  const url = prefix === '' ? '/' : prefix;
  const description = 'The same paths, for clients of Supabase.';
  return prefix.endsWith(SUPABASE_PREFIX) ? [{ url }] : [{ url }, { url: `${prefix}${SUPABASE_PREFIX}`, description }];
}

/** Omits paths without an operation that the caller may use. */
function addPaths(paths: Record<string, JsonObject>, entries: Iterable<Entry>): void {
  for (const [path, item] of entries) if (Object.keys(item).length > 0) paths[path] = item;
}

/** Files as paths and components name them. */
const underServedName = memoize((each: Collection): Collection => ({ ...each, name: servedName(each.name) }));

function infoOf({ version, license }: Described): JsonObject {
  return {
    title: 'Product Catalogue',
    version,
    description: `Collections in PostgREST's dialect: filter with \`field=operator.value\`, choose with \`select\`, sort with \`order\`, page with \`limit\` and \`offset\`. PostgREST clients work unchanged. Each request is one transaction.

${MEDIA_WORDS} Bodies are JSON, or by Content-Type: ${BODY_TYPES.slice(1)
      .map((type) => `\`${type}\``)
      .join(', ')}.`,
    license: { name: license, identifier: license },
  };
}

const SERVICE_TAGS: readonly JsonObject[] = [
  { name: 'Batch', description: 'Several writes in one transaction.' },
  { name: 'History', description: 'The log of changes.' },
  { name: 'Describe', description: 'The descriptions of the API.' },
  { name: 'Observe', description: 'Health and metrics of the service.' },
];

function serviceTags(catalogue: Catalogue): readonly JsonObject[] {
  const routines = [...catalogue.routines.values()].flatMap(([first]) => first ?? []);
  const hasActions = routines.some(({ kind }) => kind === 'action');
  const hasFunctions = routines.some((each) => each.kind === 'function' && collectionOf(each) === undefined);
  return [
    ...(hasFunctions ? [{ name: 'Functions', description: 'Functions of the database.' }] : []),
    ...(hasActions ? [ACTION_TAG] : []),
    ...(hasFileOperations(catalogue) ? [FILE_TAG] : []),
    ...(mayWriteAny(catalogue) ? SERVICE_TAGS : SERVICE_TAGS.slice(2)),
  ];
}

function collectionTag(collection: Collection): JsonObject {
  const { name, title, description } = collection;
  const words = [title, description].filter((each) => each !== undefined).join(': ') || `The rows of ${name}.`;
  return { name, description: words + embeddingWords(collection) };
}

/** The embeddings that a description lists. The rest follow the same pattern. */
const MAX_LISTED = 50;

/** A sentence about the relations that `select` may embed. It is empty if nothing can be embedded. */
function embeddingWords(collection: Collection): string {
  const all = relationsOf(collection);
  const listed = all.slice(0, MAX_LISTED).flatMap((relation) => {
    const name = embeddingName(collection, relation);
    const to = servedName(relation.to.name);
    return name === undefined
      ? []
      : [`\`${name}\` (${isMany(relation) ? `a list of ${to}` : `one of ${to}, or null`})`];
  });
  const rest = all.length > MAX_LISTED ? ` and ${all.length - MAX_LISTED} more` : '';
  return listed.length === 0 ? '' : ` Embeds ${listed.join(', ')}${rest}.`;
}

/** The shortest unambiguous name: `categories`, or `suppliers!products_supplier_id_fkey`. */
function embeddingName(collection: Collection, relation: Relation): string | undefined {
  const { to, name, referring } = relation;
  const byField = [[referring?.name ?? '']] as const;
  const forms = isFiles(to) ? byField : ([[to.name], [to.name, referring?.name], [to.name, name], ...byField] as const);
  const isOnly = (matches: readonly Relation[]) => matches.length === 1 && matches[0] === relation;
  const form = forms.find(([target, hint]) => isOnly(relationsNamed(collection, target, hint)));
  return form?.flatMap((part) => (part === undefined ? [] : [printName(part)])).join('!');
}

function* rowPaths(components: Components, shown: Collection, { catalogue, rows }: Described): Generator<Entry> {
  const collection = withKeyFields(shown);
  const { name, key, view } = collection;
  // A row that the caller may not read is not an example.
  const [example] = view?.readsAll === false ? [] : rows(name);
  const path = `/${pathPart(name)}`;
  const upload = isFiles(collection) ? uploadOperation(components, catalogue) : {};
  yield [path, { ...collectionPath(components, collection, example), ...upload }];
  // A key of several fields has no path of its own.
  if (key.length === 1) yield [`${path}/{${componentName(key[0]!.name)}}`, itemPath(components, collection, example)];
  yield* fieldPaths(components, collection);
}

/** The routines that return rows of the collection, or, without one, no rows of a declared collection. */
function* routinePaths(components: Components, catalogue: Catalogue, of?: Collection): Generator<Entry> {
  // OpenAPI has one operation for each path and method: of several functions with one name it shows the first.
  for (const [routine] of catalogue.routines.values()) {
    if (routine === undefined || collectionOf(routine)?.name !== of?.name) continue;
    yield [`${shortestPath(RPC_PATH, catalogue)}/${pathPart(routine.name)}`, routinePath(components, routine)];
  }
}

function* servicePaths(components: Components, catalogue: Catalogue): Generator<Entry> {
  yield* filePaths(components, catalogue);
  // A role that may not write anything has no use for them.
  if (mayWriteAny(catalogue)) {
    yield [shortestPath(BATCH_PATH, catalogue), batchPath(components)];
    yield [shortestPath(UNDO_PATH, catalogue), undoPath(components)];
  }
  for (const [tag, paths] of Object.entries(SERVICE_PATHS)) {
    for (const [path, describe] of Object.entries(paths)) {
      yield [shortestPath(path, catalogue), servicePath(components, tag, describe)];
    }
  }
}
