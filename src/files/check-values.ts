/** Checks the file fields of a write: each value refers to files that the caller may read, of the kind of its field. */
import { ApiError } from '../base/errors.ts';
import type { Collection, Field } from '../collection/declaration.ts';
import { fileKind } from '../collection/types/file.ts';
import { missingReference } from '../engine/shared/write-checks.ts';
import { EarlierValue } from '../plan/write/earlier-value.ts';
import { isOperation, type WritePlan } from '../plan/write-plan.ts';
import { RASTER_IMAGES } from './media-type.ts';
import type { FileStore, NewFile, StoredFile } from './store.ts';

interface FileValue {
  readonly field: Field;
  readonly id: string;
  readonly index?: number;
}

type FindFiles = (ids: readonly string[]) => Promise<readonly StoredFile[]>;

/** `find` resolves to the files that the write may refer to. None of them is removed as an orphan within a day. */
export async function checkFileValues(store: FileStore, plan: WritePlan, find: FindFiles): Promise<void> {
  const values = [...fileValues(plan)];
  if (values.length === 0) return;
  const files = await find([...new Set(values.map(({ id }) => id))]);
  const byId = new Map((await store.retain(files)).map((file) => [file.id, file]));
  for (const { field, id, index } of values) {
    const file = byId.get(id);
    if (file === undefined) throw unknownFile(plan.into, field, id, index);
    checkFile(field, file, index);
  }
}

function* fileValues(plan: WritePlan): Generator<FileValue> {
  const fields = plan.into.fields.filter(({ type }) => fileKind(type) !== undefined);
  if (fields.length === 0) return;
  if (plan.kind === 'insert') {
    const places = fields.map((field) => ({ field, at: plan.into.fields.indexOf(field) }));
    const isList = plan.rows.length > 1;
    for (const [index, row] of plan.rows.entries()) {
      for (const { field, at } of places) yield* fileValue(field, row[at], isList ? index : undefined);
    }
  } else if (plan.kind !== 'delete') {
    const changes = plan.kind === 'update' ? [plan] : plan.changes;
    for (const [index, { set }] of changes.entries()) {
      for (const each of set) {
        if (!fields.includes(each.field) || (isOperation(each) && each.operation !== 'append')) continue;
        const value = isOperation(each) ? each.operand : each.value;
        yield* fileValue(each.field, value, plan.kind === 'update' ? undefined : index);
      }
    }
  }
}

function* fileValue(field: Field, value: unknown, index: number | undefined): Generator<FileValue> {
  const location = index === undefined ? {} : { index };
  if (value instanceof EarlierValue) {
    throw new ApiError('22P02', `${field.name}: ${value} is not the id of a file`, {
      details: 'The service checks a file before it executes the batch.',
      hint: 'Send the id of the file.',
      field: field.name,
      ...location,
    });
  }
  if (typeof value !== 'string') return;
  const ids = field.type.element === undefined ? [value] : (JSON.parse(value) as readonly unknown[]);
  for (const id of ids) {
    if (typeof id === 'string') yield { field, id, ...location };
    else throw notAnId(field, id, location);
  }
}

/** An element of a list is null, or a list. */
function notAnId({ name }: Field, element: unknown, location: { readonly index?: number }): ApiError {
  return new ApiError('22P02', `${name}: ${JSON.stringify(element)} is not the id of a file`, {
    hint: 'Send a list of ids, such as ["0b0e7a5c-…"].',
    field: name,
    ...location,
  });
}

/** Unreadable and nonexistent files give the same error. */
function unknownFile(into: Collection, field: Field, id: string, index: number | undefined): ApiError {
  const reference = [...into.references, ...into.lists].find((each) => each.field === field)!;
  const ofElement = { ...reference, field: { ...field, type: field.type.element ?? field.type } };
  const error = missingReference(into, ofElement, id);
  return index === undefined ? error : error.with({ index });
}

/** Throws if the field does not take such a file. */
export function checkFile({ name, type, file: rules }: Field, file: NewFile, index?: number): void {
  const { mediaTypes = fileKind(type) === 'image' ? RASTER_IMAGES : undefined, maxBytes } = rules ?? {};
  const isTooLarge = maxBytes !== undefined && file.size > maxBytes;
  const [problem, hint] = !isAllowed(file.media_type, mediaTypes)
    ? [`is ${file.media_type}, which is not allowed`, `Allowed: ${mediaTypes!.join(', ')}.`]
    : [isTooLarge && `has ${file.size} bytes, and at most ${maxBytes} are allowed`, 'Send a smaller file.'];
  if (problem === false) return;
  throw new ApiError('23514', `${name}: the file ${file.name} ${problem}`, {
    nothingChanged: true,
    hint,
    field: name,
    value: file.id,
    ...(index === undefined ? {} : { index }),
  });
}

/** `image/*` allows every type that begins with `image/`. */
function isAllowed(mediaType: string, allowed: readonly string[] | undefined): boolean {
  if (allowed === undefined) return true;
  return allowed.some((each) => each === mediaType || (each.endsWith('/*') && mediaType.startsWith(each.slice(0, -1))));
}
