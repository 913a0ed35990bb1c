/** The operations on the bytes of files: upload, download, signed URLs, and upload into a field. */
import { IMAGE_SIDES, MAX_FILES_PER_UPLOAD } from '../../base/limits/files.ts';
import { pathPart } from '../../base/net/query-string.ts';
import { type Catalogue, type Collection, type Field, stored } from '../../collection/declaration.ts';
import { FILES, FILES_NAME, isFileField, mayUpload } from '../../collection/files.ts';
import { FILES_PATH, shortestPath } from '../../http/target.ts';
import { type Components, componentName, type JsonObject } from '../component.ts';
import { type Operation, operation } from '../parameters.ts';
import { answer, JSON_OF, notModifiedAnswer } from '../responses.ts';
import { rowSchema } from '../schemas.ts';
import { keyParameter } from './row-paths.ts';

type Entry = readonly [name: string, value: JsonObject];

const TAG = 'Files';
export const FILE_TAG = { name: TAG, description: 'Upload and download of files.' };

/** Whether the caller may upload or read files. */
export function hasFileOperations(catalogue: Catalogue): boolean {
  return mayUpload(catalogue) || catalogue.builtIn.has(FILES_NAME);
}

export function* filePaths(components: Components, catalogue: Catalogue): Generator<Entry> {
  const root = shortestPath(FILES_PATH, catalogue);
  const { collections, closed, builtIn } = catalogue;
  // Otherwise the path has the operations on rows.
  const isBare = !builtIn.has(FILES_NAME) || collections.has(FILES_NAME) || closed?.has(FILES_NAME) === true;
  if (isBare && mayUpload(catalogue)) yield [root, uploadOperation(components, catalogue)];
  if (!builtIn.has(FILES_NAME)) return;
  yield [`${root}/{id}/{name}`, { parameters: [ID, NAME], get: download(components) }];
  yield [`${root}/{id}/sign`, { parameters: [ID], post: sign(components) }];
}

/** `PUT /products/{id}/image` for each file field that the caller may change, and POST for a list. */
export function* fieldPaths(components: Components, collection: Collection): Generator<Entry> {
  const { name, key, view } = collection;
  if (key.length !== 1 || view?.rights.includes('read') === false) return;
  for (const field of (view === undefined ? collection : (view.updates ?? { fields: [] })).fields) {
    if (!isFileField(field) || field.readOnly) continue;
    const path = { parameters: [keyParameter(collection)], ...fieldOperation(components, collection, field) };
    yield [`/${pathPart(name)}/{${componentName(key[0]!.name)}}/${pathPart(field.name)}`, path];
  }
}

/** The operation by its method; empty if the caller may not upload. */
export function uploadOperation(components: Components, catalogue: Catalogue): JsonObject {
  if (!mayUpload(catalogue)) return {};
  const post = operation(components, {
    id: 'upload_files',
    tag: TAG,
    summary: 'Upload a file, or a form with several',
    description: `Stores the bytes and returns the row of the file, for a form a list of rows (at most ${MAX_FILES_PER_UPLOAD}). The service finds the media type in the bytes and rejects another Content-Type. Set a field of type file or image to the \`id\`.`,
    ownParameters: [DISPOSITION],
    parameters: ['Idempotency-Key'],
    body: fileBody(components),
    answers: { '201': answer(components, 'The rows of the files.', ['Location'], fileContent(components, catalogue)) },
  });
  return { post };
}

/** The upload into a field, by its method. A list appends. */
function fieldOperation(components: Components, collection: Collection, field: Field): JsonObject {
  const isList = field.type.element !== undefined;
  const upload: Operation = {
    id: `${isList ? 'append' : 'put'}_${componentName(field.name)}_of_${componentName(collection.name)}`,
    tag: collection.name,
    summary: isList ? `Upload files and append them to ${field.name}` : `Upload a file and set ${field.name} to it`,
    description: 'Stores the bytes and changes the row in one transaction, with the permissions of a PATCH.',
    ownParameters: [DISPOSITION],
    parameters: ['If-Match', 'Idempotency-Key'],
    body: fileBody(components),
    answers: {
      [isList ? '201' : '200']: answer(components, 'The rows of the files.', [], fileContent(components, collection)),
    },
  };
  return { [isList ? 'post' : 'put']: operation(components, upload) };
}

function download(components: Components): JsonObject {
  return operation(components, {
    id: 'download_file',
    tag: TAG,
    summary: 'Download a file, or an image in another size',
    description:
      'Returns the bytes. They never change, so a client may cache them for a year. With `width`, `height` or `format`, an image is resized. A file that the caller may not read does not exist for it (404).',
    ownParameters: DOWNLOAD_PARAMETERS,
    parameters: ['If-None-Match'],
    answers: {
      '200': answer(components, 'The bytes.', ['ETag'], BYTES),
      '206': answer(components, 'A range of the bytes.', ['ETag', 'Content-Range'], BYTES),
      '304': notModifiedAnswer(components),
    },
  });
}

function sign(components: Components): JsonObject {
  return operation(components, {
    id: 'sign_file',
    tag: TAG,
    summary: 'Make a URL of a file that works without credentials',
    description:
      'Returns a URL that anyone can use until it expires, such as an `<img>` in a page of a signed-in user.',
    ownParameters: [parameter('expires', 'query', 'How long the URL works: 1s to 7d.', TEXT, '1h')],
    answers: { '200': answer(components, 'The URL.', [], JSON_OF(SIGNED)) },
  });
}

/** `binary` is not part of JSON Schema, but generators know it. */
const BINARY = { type: 'string', format: 'binary' };
const BYTES: JsonObject = { '*/*': { schema: BINARY } };
const SIGNED = {
  type: 'object',
  required: ['url', 'expires_at'],
  properties: { url: { type: 'string' }, expires_at: { type: 'string', format: 'date-time' } },
};

/** The row of a file, or a list of them, as an upload returns them to any caller. */
function fileContent(components: Components, of: Catalogue | Collection): JsonObject {
  const collection = 'collections' in of ? [...of.collections.values()][0]! : of;
  const file = components.ref('schemas', 'File', () =>
    rowSchema({ ...stored(collection).among.get(FILES)!, name: FILES_NAME }),
  );
  return JSON_OF({ oneOf: [file, { type: 'array', items: file }] });
}

function fileBody(components: Components): JsonObject {
  const properties = { file: { type: 'array', items: BINARY } };
  return components.ref('requestBodies', 'File', () => ({
    required: true,
    description: 'A form, or the bytes of one file with their Content-Type.',
    content: {
      'multipart/form-data': { schema: { type: 'object', properties, additionalProperties: BINARY } },
      'application/octet-stream': { schema: BINARY },
      'image/*': { schema: BINARY },
    },
  }));
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

const DOWNLOAD_PARAMETERS = [
  parameter('width', 'query', `The largest width of an image. ${SIDES}`, SIDE, 320),
  parameter('height', 'query', `The largest height of an image. ${SIDES}`, SIDE, 320),
  parameter('fit', 'query', FIT, { enum: ['inside', 'cover'] }, 'cover'),
  parameter('format', 'query', 'The format of an image.', { enum: ['webp', 'jpeg', 'png'] }, 'webp'),
  parameter('expires', 'query', 'Of a signed URL.', { type: 'integer' }, 1_800_000_000),
  parameter('signature', 'query', 'Of a signed URL.', TEXT, 'p2Fu'),
  parameter('Range', 'header', 'One range of bytes.', TEXT, 'bytes=0-499'),
];
const ID = parameter(
  'id',
  'path',
  'The id of the file.',
  { type: 'string', format: 'uuid' },
  '0b0e7a5c-8d0f-4f6b-9a53-5b1f2c6d7e80',
);
const NAME = parameter('name', 'path', 'Any name, for people.', TEXT, 'tea.png');
const DISPOSITION = parameter(
  'Content-Disposition',
  'header',
  'The name of a file whose bytes are the body.',
  TEXT,
  'attachment; filename="tea.png"',
);
