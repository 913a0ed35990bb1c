/**
 * The collections of stored files. A catalogue with a field of type file or image has them; others do not.
 *
 * A file is a name and a media type for a content; files with the same bytes share one content. Its bytes are chunks.
 * A resized image is a content of its own, a variant of the original.
 * References between them ensure that no file lacks its bytes.
 */
import type { Catalogue, Collection, Field } from './catalogue.ts';
import { type CollectionDraft, type FieldDraft, type FieldsByName, fieldDrafts } from './draft.ts';
import { fileKind } from './types/file.ts';
import { typeNamed } from './types/index.ts';

/** The name in paths; a declared collection of this name hides it. */
export const FILES_NAME = 'files';
export const FILES = 'catalogue_files';
export const CONTENTS = 'catalogue_file_contents';
export const CHUNKS = 'catalogue_file_chunks';
export const VARIANTS = 'catalogue_file_variants';
export const STORAGES = 'catalogue_file_storages';
const OWN_PREFIX = 'catalogue_';

/** Fields of a file that no request sees. */
const HIDDEN = ['owner', 'content', 'orphaned_at'];
const UPLOADER = ['created_by'];

const OF_CONTENT = { collection: CONTENTS, onDelete: 'cascade' } as const;
const TO_CONTENT = { collection: CONTENTS, onDelete: 'restrict' } as const;

const table = (name: string, key: readonly string[], fields: FieldsByName, words: object = {}): CollectionDraft => {
  return { name, ...words, key, history: false, fields: fieldDrafts(fields) };
};

const DRAFTS: readonly CollectionDraft[] = [
  table(
    FILES,
    ['id'],
    {
      id: 'uuid',
      name: 'text!',
      media_type: 'text!',
      size: { type: 'int8', required: true, description: 'The number of bytes.' },
      sha256: { type: 'text', required: true, description: 'The SHA-256 of the bytes, in hexadecimal digits.' },
      width: { type: 'int4', description: 'The width of an image in pixels.' },
      height: { type: 'int4', description: 'The height of an image in pixels.' },
      placeholder: { type: 'text', description: 'A tiny preview of an image, as a data URL.' },
      created_at: { type: 'timestamptz', required: true, indexed: true },
      created_by: { type: 'text', description: 'The name of the user, key or token that uploaded it.' },
      // The identity of the caller: a user, a key and a token may have the same name.
      owner: 'text',
      content: { type: 'uuid', required: true, references: TO_CONTENT },
      orphaned_at: 'timestamptz',
    },
    { title: 'Files', description: 'The stored files, with the media type that was found in their bytes.' },
  ),
  table(CONTENTS, ['id'], {
    id: 'uuid',
    // Null until all chunks are stored.
    sha256: { type: 'text', unique: true },
    size: 'int8!',
    created_at: { type: 'timestamptz', required: true, indexed: true },
  }),
  table(CHUNKS, ['content', 'position'], {
    content: { type: 'uuid', references: OF_CONTENT },
    position: 'int4',
    data: 'bytes!',
  }),
  table(VARIANTS, ['content', 'form'], {
    content: { type: 'uuid', references: OF_CONTENT },
    // The box and format of a resized image, such as 320x-webp.
    form: 'text',
    variant: { type: 'uuid', required: true, references: TO_CONTENT },
  }),
  // One row names the storage outside of the database, if one is in use.
  table(STORAGES, ['name'], { name: 'text', mark: 'uuid!', location: 'text!' }),
];

/** Adds the collections of files if a field needs them, and the references of such fields. */
export function withFiles(drafts: readonly CollectionDraft[]): readonly CollectionDraft[] {
  if (!drafts.some(({ fields }) => fields.some(holdsFiles))) return drafts;
  const declared = drafts.map((draft) => ({ ...draft, fields: draft.fields.map(withReference) }));
  return [...declared, ...DRAFTS.filter(({ name }) => !drafts.some((draft) => draft.name === name))];
}

function holdsFiles({ type }: Pick<FieldDraft, 'type'>): boolean {
  return fileKind(typeNamed(type)!) !== undefined;
}

/** Whether a value refers to a file, or is a list of files. */
export function isFileField({ type }: Field): boolean {
  return fileKind(type) !== undefined;
}

/** Whether a caller who sees this catalogue may write a file field, and so upload files. */
export function mayUpload(catalogue: Pick<Catalogue, 'collections'>): boolean {
  return writableFileFields(catalogue).length > 0;
}

/** Whether pictures keep their metadata in every file field that a caller who sees this catalogue may write. */
export function keepsMetadata(catalogue: Pick<Catalogue, 'collections'>): boolean {
  return writableFileFields(catalogue).every(({ file }) => file?.keepMetadata === true);
}

function writableFileFields({ collections }: Pick<Catalogue, 'collections'>): readonly Field[] {
  return [...collections.values()].flatMap((each) => {
    const written = each.view === undefined ? [each] : [each.view.creates, each.view.updates];
    return written.flatMap((collection) => collection?.fields.filter(isFileField) ?? []);
  });
}

function withReference(field: FieldDraft): FieldDraft {
  return typeNamed(field.type)!.file !== undefined
    ? { ...field, references: { collection: FILES, onDelete: 'restrict' } }
    : field;
}

/** The collection of files as requests see it. */
export function servedFiles(files: Collection): Collection {
  return { ...withoutFields(files, HIDDEN), references: [] };
}

/** The collection of files for a role: like the log of changes, it does not name the writers. */
export function filesForRole(files: Collection): Collection {
  return withoutFields(files, UPLOADER);
}

export function withoutFields(collection: Collection, hidden: readonly string[]): Collection {
  const fields = collection.fields.filter(({ name }) => !hidden.includes(name));
  return { ...collection, fields, byName: new Map(fields.map((field) => [field.name, field])) };
}

export function isFiles({ draft }: Collection): boolean {
  return draft.name === FILES;
}

/** The name of a collection in paths and documents. */
export function servedName(name: string): string {
  return isInternal(name) ? name.slice(OWN_PREFIX.length) : name;
}

/** Whether the service itself uses the collection, so that it has no path of its own. */
export function isInternal(name: string): boolean {
  return name.startsWith(OWN_PREFIX);
}

/** The catalogue without the collections that have no path of their own. */
export function served(catalogue: Catalogue): Catalogue {
  if (![...catalogue.collections.keys()].some(isInternal)) return catalogue;
  const collections = [...catalogue.collections].filter(([name]) => !isInternal(name));
  return { ...catalogue, collections: new Map(collections) };
}
