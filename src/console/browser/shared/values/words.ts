/**
 * Explains errors in everyday words. The service's own message names types, constraints and operators; `detailsOf`
 * returns it.
 */
import { ApiError } from '../../../../base/errors.ts';
import { collectionNamed, fieldNamed, labelOf, oneOf, titleOfCollection } from '../api/collection.ts';
import type { Problem } from '../api/http.ts';
import { HttpError } from '../api/http-error.ts';

/** Names of PostgreSQL types. */
const KINDS: Readonly<Record<string, string>> = {
  smallint: 'a whole number',
  integer: 'a whole number',
  bigint: 'a whole number',
  numeric: 'a number',
  real: 'a number',
  'double precision': 'a number',
  boolean: 'yes or no',
  date: 'a date like 2026-12-31',
  uuid: 'a UUID',
  json: 'JSON',
  jsonb: 'JSON',
};

/** Sentences by error code; undefined if the message has an unknown form. */
const SENTENCES: Readonly<Record<string, (problem: Problem, about: string) => string | undefined>> = {
  '22P02': wrongKind,
  '22007': wrongKind,
  '22008': wrongKind,
  '22003': ({ details }, about) => {
    const [, digits] = /less than 10\^(\d+)/.exec(details ?? '') ?? [];
    return digits === undefined
      ? `${about}the number is too large.`
      : `${about}the number is too large. It may have ${digits} digits before the decimal point.`;
  },
  '23502': ({ message }) => {
    const [, name] = /column "([^"]+)"/.exec(message) ?? [];
    return name === undefined ? undefined : `${label(name)} is required.`;
  },
  '23505': ({ details }) => {
    const [, names, values] = /^Key \((.+)\)=\((.*)\) already exists/.exec(details ?? '') ?? [];
    if (names === undefined) return 'A row with the same values already exists.';
    return `Another ${oneOf()} already has this ${names.split(', ').map(label).join(', ')}: ${values}.`;
  },
  '23503': ({ details }) => {
    const [, name, value, table] = /^Key \((.+)\)=\((.*)\) is not present in table "(.+)"/.exec(details ?? '') ?? [];
    if (name !== undefined) return `${label(name)}: ${value} does not exist in ${collection(table!)}.`;
    const [, by] = /still referenced from table "(.+)"/.exec(details ?? '') ?? [];
    return by === undefined ? undefined : `It is still used in ${collection(by)}. Change or delete that first.`;
  },
  '23514': ({ message, details }) => {
    const [, name, rule] = /^(\w+) (must .+)$/.exec((details ?? '').replace(/^.*field \w+: /, '')) ?? [];
    if (name !== undefined && fieldNamed(name) !== undefined) return `${label(name)} ${rule}.`;
    const [, constrained] = /_([a-z].*)_check"/.exec(message) ?? [];
    return constrained === undefined ? undefined : `${label(constrained)} does not allow this value.`;
  },
  '57014': () => 'The request took too long and was stopped. Add a filter and try again.',
  PGRST124: () => 'More rows match now than before. Nothing was changed. Check the list and try again.',
  CAT422: () => `This form was saved before you changed it. Open the saved ${oneOf()} in the list to change it.`,
  CAT404: () => 'It no longer exists: someone else deleted it.',
};

const UNREACHED = 'The service cannot be reached. Check the connection and try again.';

export function describeError(error: unknown): string {
  // fetch throws a TypeError if no answer came, with a message that differs by browser.
  if (error instanceof TypeError) return UNREACHED;
  const problem = problemIn(error);
  if (problem === undefined) return error instanceof Error ? error.message : String(error);
  const [, name] = /field (\w+):/.exec(problem.details ?? '') ?? [];
  const about = name === undefined ? '' : `${label(name)}: `;
  const said = SENTENCES[problem.code]?.(problem, about);
  if (said !== undefined) return said;
  if (error instanceof HttpError && error.status === 404) return SENTENCES.CAT404!(problem, about)!;
  if (error instanceof HttpError && error.status >= 500) return `The service cannot do this now: ${problem.message}`;
  return [problem.message, problem.hint].filter((part) => part).join(' · ');
}

/** The service's own message, with its code. */
export function detailsOf(error: unknown): string | undefined {
  const problem = problemIn(error);
  if (problem === undefined) return undefined;
  const status = error instanceof HttpError ? `${error.status} ` : '';
  return [`${status}${problem.code}: ${problem.message}`, problem.details, problem.hint]
    .filter((part) => part)
    .join('\n');
}

function problemIn(error: unknown): Problem | undefined {
  if (error instanceof ApiError) return error;
  if (!(error instanceof HttpError)) return undefined;
  const body = error.body as Partial<Problem> | undefined;
  return typeof body?.message === 'string' ? (body as Problem) : undefined;
}

function wrongKind({ message }: Problem, about: string): string | undefined {
  const [, type, text] = /for type ([\w ]+?)(?: with.*)?: "(.*)"$/s.exec(message) ?? [];
  if (type === undefined) return undefined;
  return `${about}“${text}” is not ${KINDS[type] ?? `a ${type.replace(/ with(out)? time zone/, '')}`}.`;
}

function label(name: string): string {
  const field = fieldNamed(name);
  return field === undefined ? name : labelOf(field);
}

function collection(name: string): string {
  const found = collectionNamed(name);
  return found === undefined ? name : titleOfCollection(found);
}
