/** The operations on the bytes of files: upload, download, signed URLs, and upload into a field. */
import { IMAGE_SIDES, MAX_FILES_PER_UPLOAD } from '../../base/limits/files.ts';
import { pathPart } from '../../base/net/query-string.ts';
import { type Catalogue, type Collection, type Field, stored } from '../../collection/declaration.ts';
import { FILES, FILES_NAME, isFileField, mayUpload } from '../../collection/files.ts';
import { FILES_PATH, shortestPath } from '../../http/own-paths.ts';
import { componentName, own, schemaRef } from '../component.ts';
import type { JsonObject } from '../json.ts';
import { BODY_ERRORS, type Draft, operation, options, readOnlyPath, WRITE_ERRORS } from '../operation.ts';
import { withHeaders } from '../responses.ts';
import { rowSchema } from '../schemas.ts';

type Entry = readonly [name: string, value: JsonObject];

/** The name of the body in `components.requestBodies`, and of the row of a file in `components.schemas`. */
export const FILE_BODY = 'File';
const FILE_SCHEMA = 'File';
const TAG = 'Files';
export const FILE_TAG = { name: TAG, description: 'Upload and download of files.' };
const UPLOAD_ERRORS = [...WRITE_ERRORS, ...BODY_ERRORS];
const DOWNLOAD_ERRORS = [400, 403, 404, 416, 429, 503, 504];

/** Whether the caller may upload or read files. */
export function hasFileOperations(catalogue: Catalogue): boolean {
  return mayUpload(catalogue) || catalogue.builtIn.has(FILES_NAME);
}

export function* filePaths(catalogue: Catalogue): Generator<Entry> {
  const root = shortestPath(FILES_PATH, catalogue);
  const { collections, closed, builtIn } = catalogue;
  // Otherwise the path has the operations on rows.
  const isBare = !builtIn.has(FILES_NAME) || collections.has(FILES_NAME) || closed?.has(FILES_NAME) === true;
  if (isBare && mayUpload(catalogue)) {
    yield [root, { ...uploadOperation(catalogue), options: options('options_of_upload', TAG) }];
  }
  if (!builtIn.has(FILES_NAME)) return;
  yield [`${root}/{id}/{name}`, { parameters: refs('file.id', 'file.name'), ...download() }];
  yield [`${root}/{id}/sign`, { parameters: refs('file.id'), post: sign(), options: options('options_of_sign', TAG) }];
}

/** `PUT /products/{id}/image` for each file field that the caller may change, and POST for a list. */
export function* fieldPaths(collection: Collection): Generator<Entry> {
  const { name, key, view } = collection;
  if (key.length !== 1 || view?.rights.includes('read') === false) return;
  for (const field of (view === undefined ? collection : (view.updates ?? { fields: [] })).fields) {
    if (!isFileField(field) || field.readOnly) continue;
    const id = idOf(collection, field);
    const methods =
      field.type.element === undefined ? { put: put(collection, field) } : { post: append(collection, field) };
    const path = {
      parameters: refs(own(collection, 'key.path')),
      ...methods,
      options: options(`options_of_${id}`, name),
    };
    yield [`/${pathPart(name)}/{${componentName(key[0]!.name)}}/${pathPart(field.name)}`, path];
  }
}

function refs(...names: readonly string[]): JsonObject[] {
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

/** The operation by its method; empty if the caller may not upload. */
export function uploadOperation(catalogue: Catalogue): JsonObject {
  if (!mayUpload(catalogue)) return {};
  const post = operation({
    id: 'upload_files',
    tag: TAG,
    summary: 'Upload a file, or a form with several',
    description: `Stores the bytes and returns the row of the file, for a form a list of rows (at most ${MAX_FILES_PER_UPLOAD}). The service finds the media type in the bytes and rejects another Content-Type. Set a field of type file or image to the \`id\`.`,
    parameters: ['file.Content-Disposition'],
    body: FILE_BODY,
    answers: { '201': withHeaders('The rows of the files.', ['Location'], FILE_OR_LIST) },
    errors: [...UPLOAD_ERRORS, 405],
  });
  return { post };
}

function idOf(collection: Collection, { name }: Field): string {
  return `${componentName(name)}_of_${componentName(collection.name)}`;
}

function put(collection: Collection, field: Field): JsonObject {
  return fieldOperation(collection, {
    id: `put_${idOf(collection, field)}`,
    summary: `Upload a file and set ${field.name} to it`,
    answers: { '200': withHeaders('The row of the file.', [], FILE_OR_LIST) },
  });
}

function append(collection: Collection, field: Field): JsonObject {
  return fieldOperation(collection, {
    id: `append_${idOf(collection, field)}`,
    summary: `Upload files and append them to ${field.name}`,
    answers: { '201': withHeaders('The rows of the files.', [], FILE_OR_LIST) },
  });
}

function fieldOperation(collection: Collection, draft: Pick<Draft, 'id' | 'summary' | 'answers'>): JsonObject {
  return operation({
    ...draft,
    tag: collection.name,
    description: 'Stores the bytes and changes the row in one transaction, with the permissions of a PATCH.',
    parameters: ['file.Content-Disposition', own(collection, 'If-Match')],
    body: FILE_BODY,
    errors: [404, ...UPLOAD_ERRORS],
  });
}

function download(): JsonObject {
  const get: Draft = {
    id: 'download_file',
    tag: TAG,
    summary: 'Download a file, or an image in another size',
    description:
      'Returns the bytes. They never change, so a client may cache them for a year. With `width`, `height` or `format`, an image is resized. A file that the caller may not read does not exist for it (404).',
    parameters: [...Object.keys(RESIZING), ...Object.keys(SIGNATURE), 'file.Range', 'If-None-Match'],
    answers: {
      '200': withHeaders('The bytes.', ['ETag'], BYTES),
      '206': withHeaders('A range of the bytes.', ['ETag', 'Content-Range'], BYTES),
      '304': withHeaders('Not modified.', ['ETag']),
    },
    errors: DOWNLOAD_ERRORS,
  };
  return readOnlyPath(get, 'The headers of a file');
}

function sign(): JsonObject {
  return operation({
    id: 'sign_file',
    tag: TAG,
    summary: 'Make a URL of a file that works without credentials',
    description:
      'Returns a URL that anyone can use until it expires, such as an `<img>` in a page of a signed-in user.',
    parameters: ['file.lifetime'],
    answers: { '200': withHeaders('The URL.', [], { 'application/json': { schema: SIGNED } }) },
    errors: [400, 403, 404, 405, 429, 503, 504],
  });
}

/** `binary` is not part of JSON Schema, but generators know it. */
const BINARY = { type: 'string', format: 'binary' };
const BYTES: JsonObject = { '*/*': { schema: BINARY } };
const FILE = schemaRef(FILE_SCHEMA);
const FILE_OR_LIST = { 'application/json': { schema: { oneOf: [FILE, { type: 'array', items: FILE }] } } };
const SIGNED = {
  type: 'object',
  required: ['url', 'expires_at'],
  properties: { url: { type: 'string' }, expires_at: { type: 'string', format: 'date-time' } },
};

/** The row of a file, as an upload returns it to any caller. For `components.schemas`. */
export function* fileSchema({ collections }: Catalogue): Generator<Entry> {
  const [first] = collections.values();
  const files = first && stored(first).among.get(FILES);
  if (files !== undefined) yield [FILE_SCHEMA, rowSchema({ ...files, name: FILES_NAME })];
}

/** For `components.requestBodies`. */
export function fileBody(): JsonObject {
  const properties = { file: { type: 'array', items: BINARY } };
  return {
    required: true,
    description: 'A form, or the bytes of one file with their Content-Type.',
    content: {
      'multipart/form-data': { schema: { type: 'object', properties, additionalProperties: BINARY } },
      'application/octet-stream': { schema: BINARY },
      'image/*': { schema: BINARY },
    },
  };
}

const parameter = (name: string, place: string, description: string, schema: JsonObject, example: string | number) => ({
  name,
  in: place,
  ...(place === 'path' ? { required: true } : {}),
  description,
  schema,
  example,
});
const TEXT = { type: 'string' };
const SIDE = { type: 'integer', minimum: 1, maximum: 99_999 };
const SIDES = `The service rounds it up to ${IMAGE_SIDES.join(', ')}. The image keeps its proportions and is never enlarged.`;

const FIT = 'The image fits inside the box, or covers it and is cropped; cover needs both sides.';

const RESIZING = {
  'file.width': parameter('width', 'query', `The largest width of an image. ${SIDES}`, SIDE, 320),
  'file.height': parameter('height', 'query', `The largest height of an image. ${SIDES}`, SIDE, 320),
  'file.fit': parameter('fit', 'query', FIT, { enum: ['inside', 'cover'] }, 'cover'),
  'file.format': parameter('format', 'query', 'The format of an image.', { enum: ['webp', 'jpeg', 'png'] }, 'webp'),
};
const SIGNATURE = {
  'file.expires': parameter('expires', 'query', 'Of a signed URL.', { type: 'integer' }, 1_800_000_000),
  'file.signature': parameter('signature', 'query', 'Of a signed URL.', TEXT, 'p2Fu'),
};

/** For `components.parameters`. */
export function fileParameters(): Record<string, JsonObject> {
  const id = '0b0e7a5c-8d0f-4f6b-9a53-5b1f2c6d7e80';
  return {
    'file.id': parameter('id', 'path', 'The id of the file.', { type: 'string', format: 'uuid' }, id),
    'file.name': parameter('name', 'path', 'Any name, for people.', TEXT, 'tea.png'),
    ...RESIZING,
    ...SIGNATURE,
    'file.lifetime': parameter('expires', 'query', 'How long the URL works: 1s to 7d.', TEXT, '1h'),
    'file.Range': parameter('Range', 'header', 'One range of bytes.', TEXT, 'bytes=0-499'),
    'file.Content-Disposition': parameter(
      'Content-Disposition',
      'header',
      'The name of a file whose bytes are the body.',
      TEXT,
      'attachment; filename="tea.png"',
    ),
  };
}
