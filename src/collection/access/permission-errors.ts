/** Permission errors, in PostgreSQL's words. */
import { ApiError } from '../../base/errors.ts';
import type { Collection, Field } from '../catalogue.ts';
import type { Right } from '../draft.ts';

export function tableDenied(name: string, right?: Right): ApiError {
  return new ApiError('42501', `permission denied for table ${name}`, {
    hint: right === undefined ? undefined : `Your role may not ${right} rows of ${name}.`,
  });
}

export function routineDenied(name: string): ApiError {
  return new ApiError('42501', `permission denied for function ${name}`, {
    hint: 'Your role may not call it, or may not read its rows.',
  });
}

/** The role may name each of the fields, but no single rule allows all of them. */
export function fieldsDenied({ name, fields }: Collection, apart: readonly Field[], right: Right): ApiError {
  const names = fields.filter((field) => apart.includes(field)).map((field) => field.name);
  return new ApiError('42501', `permission denied for table ${name}`, {
    hint: `No rule of your role may ${right} all of ${names.join(', ')}: name fewer of them at once.`,
  });
}

export function fieldDenied(table: string, field: string, right: Right): ApiError {
  return new ApiError('42501', `permission denied for column ${field} of table ${table}`, {
    hint: `Your role may not ${right} it.`,
    field,
  });
}

/** The role may change these fields, but only in other ways. */
export function changeDenied(
  { name, fields }: Collection,
  given: ReadonlySet<Field>,
  allowed: ReadonlySet<string>,
): ApiError {
  const [field] = fields.filter((each) => given.has(each));
  return new ApiError('42501', `permission denied for column ${field!.name} of table ${name}`, {
    hint: `Your role may change it only by ${[...allowed].join(', ')}, as in {"${field!.name}": {"${[...allowed][0]}": 1}}.`,
    field: field!.name,
  });
}

export function plansDenied(): ApiError {
  return new ApiError('42501', 'permission denied for plans', {
    hint: 'Query plans are available only to roles with every right.',
  });
}

/**
 * A written row breaks the role's rules, or an upsert conflicts with a row that the role may not update. The error does
 * not say which, because that would reveal whether the row exists.
 */
export function rowDenied(table: string): ApiError {
  return new ApiError('42501', `new row violates row-level security policy for table "${table}"`, {
    details: 'Nothing was changed.',
    hint: 'Your role may store only rows that its rules allow.',
  });
}
