/** Translates PostgreSQL errors, and classifies those that mean a lost server. */
import { ApiError, ERRORS, type ErrorCode } from '../../base/errors.ts';
import type { Collection, Field } from '../../collection/declaration.ts';
import { derivedName } from '../../collection/derived-name.ts';
import { checkViolation } from '../../plan/coerce.ts';
import { nullViolation } from '../../plan/write/row-planner.ts';
import { type DatabaseSession, NEWEST } from '../engine.ts';
import { diskFull, duplicateKey, keysExhausted } from '../shared/write-checks.ts';
import { chosenError } from './call/chosen-error.ts';

export interface ServerError extends Error {
  readonly code?: string;
  readonly errno?: string;
  readonly severity?: string;
  readonly detail?: string;
  readonly hint?: string;
  readonly table?: string;
  readonly column?: string;
  readonly constraint?: string;
  /** The function of the server that reported it, and the file of its source. */
  readonly routine?: string;
  readonly file?: string;
}

/** A loss that the service noticed itself. Its message says how. */
export class ConnectionLoss extends Error {
  readonly code = 'ERR_POSTGRES_CONNECTION_LOST';
}

export class ServerUnresponsive extends ConnectionLoss {
  override readonly message = 'PostgreSQL does not answer';
}

export class ConnectionUnresponsive extends ConnectionLoss {
  override readonly message = 'A connection to PostgreSQL does not answer';
}

/** The address leads to another server, to the same server after a restart, or to one that became read-only. */
export class ServerChanged extends ConnectionLoss {
  override readonly message = 'Another PostgreSQL server answers at this address now';
}

export class NoPrimary extends ConnectionLoss {
  constructor(name: string) {
    super(`No server takes writes: ${name} is a standby`);
  }
}

export function sqlState(error: unknown): string | undefined {
  const errno = error instanceof Error ? (error as ServerError).errno : undefined;
  return typeof errno === 'string' ? errno : undefined;
}

/** Bun's code of an error of the connection; empty for any other error. */
export function connectionCode(error: unknown): string {
  const code = error instanceof Error ? (error as ServerError).code : undefined;
  return typeof code === 'string' ? code : '';
}

const LOST_CONNECTION =
  /^(ERR_POSTGRES_CONNECTION.*|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|ConnectionRefused)$/;

/** The connection broke, or the server is stopping, starting, or no longer the primary. */
export function isLoss(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return /^(08|57P0[1-5]|25006|25P03)/.test(state);
  return LOST_CONNECTION.test(connectionCode(error));
}

/** The server has no free connection; some may be free soon. */
export function isFull(error: unknown): boolean {
  return sqlState(error) === '53300';
}

/** The server refuses the login of the service, for example after the password was changed. */
function isRefused(error: unknown): boolean {
  return sqlState(error)?.startsWith('28') === true && (error as ServerError).severity === 'FATAL';
}

/** The errors that the runtime throws at a fault of this program. The log needs their stacks. */
const FAULTS = [TypeError, RangeError, ReferenceError, SyntaxError];

export function isInternal(error: unknown): boolean {
  const isFault = FAULTS.some((type) => error instanceof type);
  return isFault && sqlState(error) === undefined && connectionCode(error) === '';
}

/** Whether the outcome of the statement is known: only the loss of the server or the connection leaves it open. */
export function isSurelyUndone(error: unknown): boolean {
  if (error instanceof ApiError || isInternal(error)) return true;
  const state = sqlState(error);
  if (state !== undefined) return !/^(08|57P)/.test(state);
  // An error without a code, such as UnconfirmedCommit, leaves the outcome open.
  return /^ERR_POSTGRES_CONNECTION_(REFUSED|TIMEOUT|FAILED)$/.test(connectionCode(error));
}

/** A column of a prepared statement has another type now. After the error, the driver prepares it again. */
export function isStaleStatement(error: unknown): boolean {
  return sqlState(error) === '0A000' && (error as ServerError).routine === 'RevalidateCachedQuery';
}

/** A conflict with another transaction; a retry may succeed. */
export function isTransient(error: unknown): boolean {
  return ['40001', '40P01'].includes(sqlState(error) ?? '') || isStaleStatement(error);
}

export function unavailable(reason: string, seconds = 1): ApiError {
  return new ApiError('CAT503', 'the database is not available', {
    details: `${reason}.`,
    nothingChanged: true,
    hint: 'Try again in a moment.',
    headers: { 'retry-after': String(seconds) },
  });
}

/** The only failure after which it is unknown whether a write is stored. */
export function unconfirmed(): ApiError {
  return new ApiError('CAT503', 'the database did not confirm the write', {
    details: 'It may have been stored or not.',
    hint: 'Look before you repeat it; with an Idempotency-Key a repetition is safe.',
    // A read that sends this position is answered by the primary.
    headers: { 'retry-after': '1', 'catalogue-position': NEWEST },
  });
}

/** States of a schema or a session that changed while the service runs, and conflicts: a retry may succeed. */
const TEMPORARY = ['26000', '3F000', '40001', '40P01', '42P01', '42703', '42P05', '55P03'];

const MIGRATED_HINT =
  'If a migration changed the tables while the service ran, start it again with the declaration of the migration.';

const CHANGED_HINT = 'The tables have changed, or a function, trigger or policy names something that does not exist.';

/** The states of a missing table, column and schema. */
const MISSING = ['42P01', '42703', '3F000'];

/** The code of the catalogue for a SQLSTATE. */
function catalogueCode(state: string, isForeign: boolean): ErrorCode | undefined {
  if (isForeign && MISSING.includes(state)) return undefined;
  if (TEMPORARY.includes(state)) return 'CAT503';
  // Since version 18 for `on delete restrict`.
  if (state === '23001') return '23503';
  return Object.hasOwn(ERRORS, state) ? (state as ErrorCode) : undefined;
}

/** The code whose status an unknown SQLSTATE of a class has. */
const BY_CLASS: Readonly<Record<string, ErrorCode>> = {
  '0L': '42501',
  '0P': '42501',
  '22': '22P02',
  '23': '23514',
  '28': '42501',
  '42': '42601',
  '53': 'CAT503',
  '54': '54000',
  '57': 'CAT503',
  P0: '23514',
};
/** The SQLSTATE classes of failures of the server or this program. A trigger raised any other class. */
const SERVER_PROBLEMS = /^(0[0-9AFLPZ]|2[45678BDF]|3|40|55|58|72|F0|HV|XX)/;
/** Those for which PostgREST answers 500 if a function raises them. */
const FOREIGN_PROBLEMS = /^(09|25|2D|3[89B]|40|55|58|F0|HV|XX)/;

/** hstore before PostgreSQL 16 and PostGIS report a value that they cannot read as an internal error. */
function isUnreadable(error: unknown): boolean {
  return sqlState(error) === 'XX000' && /^(?:hstore|lwgeom|geography)_/.test((error as ServerError).file ?? '');
}

/** `isForeign`: other programs change the tables, or the statement is theirs. So a retry would not help. */
export function translateError(error: unknown, collection?: Collection, isForeign = false): unknown {
  if (error instanceof ApiError) return error;
  if (isLoss(error) || isFull(error) || isRefused(error)) return unavailable(describe(error));
  const state = isUnreadable(error) ? '22P02' : sqlState(error);
  if (state === undefined) return error;
  const { message, detail, hint, column, constraint } = error as ServerError;
  if (collection !== undefined) {
    const { name, assigned, fields } = collection;
    const conflict = state === '23505' ? valuesInDetail(collection, detail) : undefined;
    if (conflict !== undefined) return duplicateKey(collection, conflict.fields, conflict.values);
    if (state === '23502' && column !== undefined) return nullViolation(collection, { name: column });
    const checked =
      state === '23514' ? fields.find((field) => constraint === derivedName(name, field.name, 'check')) : undefined;
    // Supplied values are validated before, so only an assigned key or a computed value can break a rule.
    if (state === '2200H' || (checked !== undefined && checked === assigned)) return keysExhausted(collection);
    if (checked !== undefined) return checkViolation(collection, checked);
  }
  if (state === 'PGRST') return chosenError(message, detail);
  if (state === '53100') return diskFull(message);
  const ours = catalogueCode(state, isForeign);
  const isProblem = (isForeign ? FOREIGN_PROBLEMS : SERVER_PROBLEMS).test(state);
  const code = ours ?? BY_CLASS[state.slice(0, 2)] ?? (isProblem ? undefined : 'P0001');
  if (code === undefined) return error;
  const isOwn = ours === undefined && ERRORS[code].status < 500;
  const missingHint = isForeign ? CHANGED_HINT : MIGRATED_HINT;
  return new ApiError(code, message, {
    details: detail ?? (isOwn || code === state ? undefined : `SQLSTATE ${state}`),
    hint: hint ?? (MISSING.includes(state) ? missingHint : state === '22003' ? computedHint(collection) : undefined),
    constraint,
    sqlState: isOwn ? state : undefined,
    status: isForeign && state === '42P01' ? 404 : undefined,
    ...(ERRORS[code].status >= 500 ? { headers: { 'retry-after': '1' } } : {}),
  });
}

/** The states of a missing table, column, function and schema. */
const MISFITS = [...MISSING, '42883'];

/** A caller without credentials gets 401 for what its role may not do, and so does a role that does not exist. */
export function inSession(error: unknown, session: DatabaseSession | undefined): unknown {
  if (!(error instanceof ApiError) || session === undefined) return error;
  const code = error.sqlState ?? error.code;
  if (MISFITS.includes(code)) session.onMisfit?.();
  const isUnknownRole = code === '22023' && /^role ".*" does not exist$/.test(error.message);
  if (!isUnknownRole && !(session.isAnonymous && code === '42501')) return error;
  return error.with({ status: 401, headers: { ...error.headers, 'www-authenticate': 'Bearer' } });
}

/** PostgreSQL does not say which column it computed. */
function computedHint(collection: Collection | undefined): string | undefined {
  const hasComputed = collection?.fields.some(({ computed }) => computed !== undefined) === true;
  return hasComputed ? 'The result of a computed field may be what does not fit.' : undefined;
}

/** The fields and values in `Key (a, b)=(1, x) already exists.`, in any language of the server. */
export function valuesInDetail({ byName }: Collection, detail = ''): { fields: Field[]; values: string[] } | undefined {
  const match = /\(((?:"(?:[^"]|"")*"|[^")])+)\)=\((.*)\)/s.exec(detail);
  if (match === null) return undefined;
  // PostgreSQL quotes the names of a unique constraint, but not those of a foreign key.
  const names = match[1]!.match(/"(?:[^"]|"")*"|[^",\s][^",]*/g) ?? [];
  const fields = names.flatMap((name) => byName.get(unquoted(name)) ?? []);
  if (fields.length === 0) return undefined;
  const values = fields.length === 1 ? [match[2]!] : match[2]!.split(', ');
  // A value with a comma is ambiguous: then the text stays as PostgreSQL printed it.
  if (values.length !== fields.length) return { fields, values: [match[2]!] };
  // Values are printed as in answers: a decimal without trailing zeros.
  return { fields, values: fields.map(({ type }, index) => type.print(type.read(values[index]!))) };
}

function unquoted(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;
}

/** The assigned key that turned out to be taken. */
export function takenKey(error: unknown, collection: Collection): string | undefined {
  const { constraint, detail } = error as ServerError;
  if (constraint !== undefined && constraint !== derivedName(collection.name, 'pkey')) return undefined;
  const { fields = [], values = [] } = (sqlState(error) === '23505' && valuesInDetail(collection, detail)) || {};
  const isAssigned = fields.length === 1 && fields[0] === collection.assigned;
  return isAssigned && /^-?\d+$/.test(values[0] ?? '') ? values[0] : undefined;
}

/** Describes a connection error without secrets. */
export function describe(error: unknown): string {
  if (error instanceof ConnectionLoss) return error.message;
  const state = sqlState(error);
  if (state === '25006') return 'The server is read-only for now';
  if (state !== undefined) return `PostgreSQL says: ${(error as Error).message}`;
  const code = connectionCode(error);
  if (code === 'ENOTFOUND') return `PostgreSQL cannot be reached: ${(error as Error).message}`;
  return CONNECTION_PROBLEMS[code] ?? `PostgreSQL cannot be reached (${code || (error as Error).message})`;
}

const CONNECTION_PROBLEMS: Readonly<Record<string, string>> = {
  ERR_POSTGRES_CONNECTION_REFUSED: 'PostgreSQL cannot be reached: the connection is refused',
  ERR_POSTGRES_CONNECTION_TIMEOUT: 'PostgreSQL cannot be reached: it does not answer in time',
  ERR_POSTGRES_CONNECTION_CLOSED: 'PostgreSQL closed the connection',
  ERR_POSTGRES_CONNECTION_FAILED: 'PostgreSQL does not take connections yet',
};
