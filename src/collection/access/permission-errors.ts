/** Permission errors, in PostgreSQL's words. */
import { ApiError } from '../../base/errors.ts';
import type { Collection, Field } from '../catalogue.ts';
import type { Right } from '../draft.ts';

function denied(what: string, hint?: string, field?: string): ApiError {
  return new ApiError('42501', `permission denied for ${what}`, { hint, field });
}

export function tableDenied(name: string, right?: Right): ApiError {
  return denied(`table ${name}`, right && `Your role may not ${right} rows of ${name}.`);
}

export function routineDenied(name: string): ApiError {
  return denied(`function ${name}`, 'Your role may not call it, or may not read its rows.');
}

/** The role may name each of the fields, but no single rule allows all of them. */
export function fieldsDenied({ name, fields }: Collection, apart: readonly Field[], right: Right): ApiError {
  const names = fields.filter((field) => apart.includes(field)).map((field) => field.name);
  const hint = `No rule of your role may ${right} all of ${names.join(', ')}: name fewer of them at once.`;
  return denied(`table ${name}`, hint);
}

export function fieldDenied(table: string, field: string, right: Right): ApiError {
  return denied(`column ${field} of table ${table}`, `Your role may not ${right} it.`, field);
}

/** The role may change these fields, but only in other ways. */
export function changeDenied(
  { name: table, fields }: Collection,
  given: ReadonlySet<Field>,
  allowed: ReadonlySet<string>,
): ApiError {
  const { name } = fields.find((each) => given.has(each))!;
  const [first] = allowed;
  const hint = `Your role may change it only by ${[...allowed].join(', ')}, as in {"${name}": {"${first}": 1}}.`;
  return denied(`column ${name} of table ${table}`, hint, name);
}

export function plansDenied(): ApiError {
  return denied('plans', 'Query plans are available only to roles with every right.');
}

/**
 * A written row breaks the role's rules, or an upsert conflicts with a row that the role may not update. The error does
 * not say which, because that would reveal whether the row exists.
 */
export function rowDenied(table: string): ApiError {
  return new ApiError('42501', `new row violates row-level security policy for table "${table}"`, {
    nothingChanged: true,
    hint: 'Your role may store only rows that its rules allow.',
  });
}
