/** The terms of a write, checked inside its transaction on every engine: what fails here has changed nothing. */
import type { Collection } from '../collection/declaration.ts';
import type { Value } from '../collection/value.ts';
import { versionOfText } from '../collection/version.ts';
import { Refusal } from '../errors.ts';
import { notOne } from '../plan/terms.ts';
import type { Precondition, WritePlan } from '../plan/types.ts';

export function checkAffected(plan: Pick<WritePlan, 'mustExist' | 'singular' | 'maxAffected'>, affected: number): void {
  if (plan.mustExist && affected === 0) {
    throw new Refusal('CAT404', 'there is no such product', { details: 'Nothing was changed.' });
  }
  if (plan.singular && affected !== 1) throw notOne(affected);
  if (plan.maxAffected !== undefined && affected > plan.maxAffected) {
    throw new Refusal('PGRST124', 'Query result exceeds max-affected preference constraint', {
      details: `The query affects ${affected} rows; nothing was changed.`,
    });
  }
}

/** `row` is the row as stored now, whole and in JSON. */
export function checkVersion({ versions }: Precondition, row: string | undefined): void {
  if (versions === 'none') {
    if (row === undefined) return;
    throw new Refusal('CAT412', 'the product exists already', {
      details: 'If-None-Match: * asks for one that does not; nothing was changed.',
    });
  }
  if (row !== undefined && (versions === '*' || versions.includes(versionOfText(row)))) return;
  throw new Refusal('CAT412', 'the product has changed since it was read', {
    details:
      row === undefined ? 'It does not exist.' : 'Its ETag differs from the one in If-Match; nothing was changed.',
    hint: 'Read it again, decide, and send the write with the new ETag.',
  });
}

/** A bulk update names each of its products; one that is not there refuses the whole. */
export function missingProduct(collection: Collection, key: Value, index: number): Refusal {
  return new Refusal('CAT404', `there is no ${collection.key.name} ${key} in ${collection.name}`, {
    details: `row ${index + 1}: ${collection.key.name} ${key} does not exist; nothing was changed`,
  });
}

export function keyUsedOtherwise(): Refusal {
  return new Refusal('CAT422', 'this Idempotency-Key was used for another request', {
    details: 'The method, the URL, the body or a header the answer depends on differs from the first request with it.',
    hint: 'Use a new key for a new request.',
  });
}

export function duplicateKey(collection: Collection, key: Value | undefined): Refusal {
  return new Refusal('23505', `duplicate key value violates unique constraint "${collection.name}_pkey"`, {
    details: `Key (${collection.key.name})=(${key ?? '?'}) already exists.`,
  });
}

/** As PostgreSQL's sequence at its end: smaller keys may be free, but are not assigned again. */
export function keysUsedUp({ key }: Collection): Refusal {
  return new Refusal('2200H', `no ${key.name} is left to assign`, {
    details: 'The largest one possible was used.',
    hint: `Give the ${key.name} yourself.`,
  });
}

/** Two rows of one load with the same key: which of them is meant, nobody can tell. */
export function repeatedKey(collection: Collection, key: Value): Refusal {
  return new Refusal('21000', `${collection.key.name} ${key} was given before`, {
    details: `An earlier row has the same ${collection.key.name}.`,
  });
}
