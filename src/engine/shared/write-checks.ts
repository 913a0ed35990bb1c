/** Checks of a write inside its transaction, for both engines: a failure leaves nothing changed. */
import { ApiError } from '../../base/errors.ts';
import { MAX_RETURNED_BYTES } from '../../base/limits/engine.ts';
import { type Collection, type Composite, type Field, fieldsOf, type Reference } from '../../collection/declaration.ts';
import { derivedName } from '../../collection/derived-name.ts';
import type { Value } from '../../collection/value.ts';
import { versionOfText } from '../../collection/version.ts';
import { describeKey, fieldNames, type Key, notSingular } from '../../plan/resolve.ts';
import type { Precondition, UpdateEachPlan, WritePlan } from '../../plan/write-plan.ts';
import type { WriteResult } from '../engine.ts';

export function checkAffected(
  plan: Pick<WritePlan, 'mustExist' | 'singular' | 'maxAffected' | 'affects'>,
  affected: number,
): void {
  if (plan.mustExist && affected === 0) {
    throw new ApiError('CAT404', 'the row does not exist', { nothingChanged: true });
  }
  if (plan.singular && affected !== 1) throw notSingular(affected);
  if (plan.maxAffected !== undefined && affected > plan.maxAffected) {
    throw new ApiError('PGRST124', 'Query result exceeds max-affected preference constraint', {
      details: `The query affects ${affected} rows; nothing was changed.`,
    });
  }
  if (plan.affects !== undefined && affected !== plan.affects) {
    throw new ApiError('CAT412', `the request affects ${affected} rows, and not ${plan.affects}`, {
      nothingChanged: true,
      hint: 'Read the rows again, decide, and send what still holds.',
    });
  }
}

export function checkReturned(results: readonly WriteResult[]): void {
  if (results.length === 1) return;
  const bytes = results.reduce((sum, { body = '' }) => sum + body.length, 0);
  if (bytes > MAX_RETURNED_BYTES) throw returnTooLarge();
}

/** The write would return too many bytes, so it is rolled back. */
export function returnTooLarge(): ApiError {
  return new ApiError('54000', `a write may give back ${MAX_RETURNED_BYTES} bytes`, {
    nothingChanged: true,
    hint: 'Ask for Prefer: return=minimal, or change fewer rows at once.',
  });
}

/** `row` is the stored row as JSON. */
export function checkVersion({ versions }: Pick<Precondition, 'versions'>, row: string | undefined): void {
  if (versions === 'none') {
    if (row === undefined) return;
    throw new ApiError('CAT412', 'the row exists already', {
      details: 'If-None-Match: * asks for one that does not; nothing was changed.',
    });
  }
  if (row !== undefined && (versions === '*' || versions.includes(versionOfText(row)))) return;
  throw new ApiError('CAT412', 'the row has changed since it was read', {
    details:
      row === undefined ? 'It does not exist.' : 'Its ETag differs from the one in If-Match; nothing was changed.',
    hint: 'Read it again, decide, and send the write with the new ETag.',
  });
}

type MissingChange = { readonly key: Key; readonly index: number };

/** Reports the rows of a bulk update that do not exist, or that do not satisfy its filter. */
export function checkMissing(
  plan: Pick<UpdateEachPlan, 'into' | 'by' | 'ignoresMissing'> & { readonly among?: unknown },
  changes: readonly MissingChange[],
): { missing?: number } {
  const { into, by } = plan;
  const [first] = changes;
  if (first !== undefined && plan.among !== undefined) throw notInFilter(by, first);
  if (plan.ignoresMissing) return { missing: changes.length };
  if (first !== undefined) throw missingRows(into, by, changes);
  return {};
}

/** An error names at most this many rows. */
const NAMED_ROWS = 20;

function missingRows({ name }: Collection, by: readonly Field[], changes: readonly MissingChange[]): ApiError {
  const words = ({ key }: MissingChange) => describeKey(by, key);
  const rows = changes.slice(0, NAMED_ROWS).map((change) => `row ${change.index + 1}: ${words(change)}`);
  const more = changes.length > NAMED_ROWS ? ` and ${changes.length - NAMED_ROWS} more` : '';
  const one = `${words(changes[0]!)} does not exist in ${name}`;
  return new ApiError('CAT404', changes.length === 1 ? one : `${changes.length} rows do not exist in ${name}`, {
    details: `${rows.join('; ')}${more} ${changes.length === 1 ? 'does' : 'do'} not exist; nothing was changed`,
    hint: 'Create them first, or send Prefer: missing-rows=ignore.',
    index: changes[0]!.index,
    field: fieldNames(by),
  });
}

/** A row of a load that is to change a stored row, which does not exist. */
export function missingRow({ name }: Collection, fields: readonly Field[], values: Key): ApiError {
  return new ApiError('CAT404', `${describeKey(fields, values)} does not exist in ${name}`);
}

/** With If-Match: *, the rows of a bulk update must also satisfy the filter. */
function notInFilter(by: readonly Field[], { key, index }: MissingChange): ApiError {
  const words = describeKey(by, key);
  return new ApiError('CAT412', 'a row is not as the filter says', {
    details: `row ${index + 1}: ${words} does not match, or does not exist; nothing was changed`,
    hint: 'Read the rows again, decide, and send what still holds.',
    index,
    field: fieldNames(by),
  });
}

/** `cause` may name a file of the server: it is for the log. */
export function diskFull(cause: string): ApiError {
  return new ApiError('CAT507', 'the database cannot be written: the disk is full or failing', {
    details: 'Nothing was changed; reads go on.',
    hint: 'Make room on the disk that holds the database, then try again.',
    headers: { 'retry-after': '10' },
    cause,
  });
}

export function idempotencyKeyReused(): ApiError {
  return new ApiError('CAT422', 'this Idempotency-Key was used for another request', {
    details: 'The method, the URL, the body or a header the answer depends on differs from the first request with it.',
    hint: 'Use a new key for a new request.',
  });
}

/** Adds the row of the body to an error. The details of a body with one row do not number it. */
export function withRowIndex<E>(error: E, index: number, isList: boolean): E | ApiError {
  if (!(error instanceof ApiError)) return error;
  const { message, details } = error;
  return error.with({ index, ...(isList ? { details: `row ${index + 1}: ${details ?? message}` } : {}) });
}

/** Values for messages, printed as in CSV. */
export function printValues(fields: readonly Field[], values: readonly (Value | undefined)[]): readonly string[] {
  return values.map((value, index) => (value === undefined || value === null ? '?' : fields[index]!.type.print(value)));
}

/** Unique values that another row has; the constraint has PostgreSQL's name. */
export function duplicateKey(collection: Collection, fields: readonly Field[], values: readonly string[]): ApiError {
  const names = fields.map(({ name }) => name);
  const isKey = names.join() === collection.key.map(({ name }) => name).join();
  const constraint = derivedName(collection.name, ...(isKey ? ['pkey'] : [...names, 'key']));
  return new ApiError('23505', `duplicate key value violates unique constraint "${constraint}"`, {
    details: `Key (${names.join(', ')})=(${values.join(', ')}) already exists.`,
    constraint,
    field: fieldNames(fields),
  });
}

export function missingReference(
  { name }: Collection,
  reference: Reference | Composite,
  ...values: readonly Value[]
): ApiError {
  const fields = fieldsOf(reference);
  return new ApiError(
    '23503',
    `insert or update on table "${name}" violates foreign key constraint "${reference.name}"`,
    {
      details:
        values.length === 0 ? undefined : `${keyText(fields, values)} is not present in table "${reference.to}".`,
      constraint: reference.name,
      field: fieldNames(fields),
    },
  );
}

export function stillReferenced(
  { name, key }: Collection,
  reference: (Reference | Composite) & { readonly from: Collection },
  ...values: readonly Value[]
): ApiError {
  const by = reference.from.name;
  return new ApiError(
    '23503',
    `update or delete on table "${name}" violates foreign key constraint "${reference.name}" on table "${by}"`,
    { details: `${keyText(key, values)} is still referenced from table "${by}".`, constraint: reference.name },
  );
}

function keyText(fields: readonly Field[], values: readonly Value[]): string {
  return `Key (${fields.map(({ name }) => name).join(', ')})=(${printValues(fields, values).join(', ')})`;
}

/** The first assigned key: 1, or the field's minimum. */
export function firstKey({ assigned }: Collection): bigint {
  const least = BigInt((assigned?.rules.minimum as number | bigint | undefined) ?? 1);
  return least > 1n ? least : 1n;
}

/** Like a PostgreSQL sequence at its end: smaller free keys are not assigned. */
export function keysExhausted({ key }: Collection): ApiError {
  const { name } = key[0]!;
  return new ApiError('2200H', `no ${name} is left to assign`, {
    details: 'The largest one possible was used.',
    hint: `Give the ${name} yourself.`,
  });
}

/** Two rows of one load with the same key or unique values. */
export function repeatedRow(fields: readonly Field[], values: Key): ApiError {
  const words = describeKey(fields, values);
  return new ApiError('21000', `${words} was given before`, { details: `An earlier row also has ${words}.` });
}

/** Advice for a dry run that takes longer than its limit. */
export function shorterDryRun(seconds: number): string {
  return `A dry run may take ${seconds} s (--dry-run-timeout). Try it on fewer rows.`;
}

/** The error of a dry run that other writes have interrupted too often. */
export function interruptedDryRun(): ApiError {
  return new ApiError('57014', 'canceling a dry run because other writes wait for it', {
    nothingChanged: true,
    hint: 'Try it on fewer rows, or when fewer writes arrive.',
  });
}
