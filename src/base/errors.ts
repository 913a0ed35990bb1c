/**
 * The error catalogue: every code a client can meet, its status and what it means.
 *
 * Codes of PostgREST and PostgreSQL keep their meaning; `CAT…` codes are ours, named after their status. An expected
 * error is an `ApiError`, caught once in `response/logging.ts`. Any other error is a bug and becomes CAT500.
 */
import { MAX_ECHOED_VALUE_LENGTH } from './limits/http.ts';
import { Sentence, say, type Wording, withSentences } from './sentence.ts';
import { shorten, shortenValue, withinLimit } from './shorten.ts';

export const ERRORS = {
  PGRST100: { status: 400, meaning: 'A query parameter could not be parsed' },
  PGRST101: { status: 405, meaning: 'Functions do not take this method' },
  PGRST102: { status: 400, meaning: 'The request body could not be read' },
  PGRST103: { status: 416, meaning: 'The requested page lies outside the result' },
  PGRST105: { status: 405, meaning: 'A PUT must be filtered by exactly its key' },
  PGRST106: { status: 406, meaning: 'Accept-Profile or Content-Profile names a schema that is not served' },
  PGRST107: { status: 406, meaning: 'None of the accepted media types is available' },
  PGRST108: { status: 400, meaning: 'A filter names an embedded resource that was not selected' },
  PGRST114: { status: 400, meaning: 'PUT does not accept limit and offset' },
  PGRST115: { status: 400, meaning: 'The key in the body differs from the key in the URL' },
  PGRST116: { status: 406, meaning: 'The client requested a single object, but the result is not exactly one row' },
  PGRST117: { status: 405, meaning: 'The method is not supported' },
  PGRST118: { status: 400, meaning: 'Rows cannot be ordered by an embedding that is a list' },
  PGRST121: { status: 500, meaning: "A function raises an error with SQLSTATE 'PGRST' that is not JSON" },
  PGRST122: { status: 400, meaning: 'A preference is unknown, under handling=strict' },
  PGRST124: { status: 400, meaning: 'More rows would change than max-affected allows' },
  PGRST111: { status: 500, meaning: 'A function sets response.headers to other than a list of objects' },
  PGRST112: { status: 500, meaning: 'A function sets response.status to other than a status' },
  PGRST125: { status: 404, meaning: 'The path does not exist' },
  PGRST127: { status: 400, meaning: 'The requested feature is not implemented' },
  PGRST128: { status: 400, meaning: 'max-affected needs a function that returns a list' },
  PGRST200: { status: 400, meaning: 'No relationship exists for the embedding' },
  PGRST201: { status: 300, meaning: 'More than one relationship matches the embedding' },
  PGRST202: { status: 404, meaning: 'The function does not exist with these parameters' },
  PGRST203: { status: 300, meaning: 'More than one function takes these parameters' },
  PGRST204: { status: 400, meaning: 'The body or columns names a field that does not exist' },
  PGRST205: { status: 404, meaning: 'The collection does not exist' },
  PGRST300: { status: 401, meaning: 'The service has no secret or public key to verify the token' },
  PGRST301: { status: 401, meaning: 'The token or key could not be read or verified' },
  PGRST302: { status: 401, meaning: 'Credentials are needed' },
  PGRST303: {
    status: 401,
    meaning: 'The token has expired, is not valid yet, or names another audience, issuer or role',
  },
  '0A000': { status: 400, meaning: 'NaN and infinity are not whole numbers, or an array has several dimensions' },
  '21000': {
    status: 400,
    meaning: 'A write without a filter, one that would change a row twice, or $from with other than one row',
  },
  '22001': { status: 400, meaning: 'A text is longer than its column allows' },
  '22003': { status: 400, meaning: 'A number is out of range for its field' },
  '2200H': { status: 400, meaning: 'No id is left to assign' },
  '22007': { status: 400, meaning: 'A date or time cannot be read' },
  '22008': { status: 400, meaning: 'A date or time is out of range, or the day does not exist' },
  '22009': { status: 400, meaning: 'The offset of a time zone is out of range' },
  '22012': { status: 400, meaning: 'A division by zero' },
  '22021': { status: 400, meaning: 'Text is not valid UTF-8 or holds a NUL' },
  '22023': { status: 400, meaning: 'A JSON value cannot be cast because it has another type' },
  '22025': { status: 400, meaning: 'A like pattern ends with its escape character' },
  '2201B': { status: 400, meaning: 'A regular expression is invalid or not supported' },
  '2202E': { status: 400, meaning: 'The dimensions of two arrays do not match' },
  '22P02': { status: 400, meaning: 'A value does not have the type of its field' },
  '23502': { status: 400, meaning: 'A required field is null or missing' },
  '23503': { status: 409, meaning: 'A reference to or from another table would be broken' },
  '23505': { status: 409, meaning: 'A row with this key, or with these unique values, exists already' },
  '23514': { status: 400, meaning: 'A rule of the declaration or the database rejects the row' },
  '23P01': { status: 400, meaning: 'An exclusion constraint of an adopted table rejects the row' },
  '428C9': { status: 400, meaning: 'A write sets a read-only field' },
  '25006': { status: 405, meaning: 'A function changes data in a read-only request; use POST' },
  '42501': { status: 403, meaning: 'The role of the caller or of the service in the database does not permit this' },
  '42601': { status: 400, meaning: 'A full text query could not be parsed' },
  '42702': { status: 400, meaning: 'Two columns of an embedding have the same name' },
  '42703': { status: 400, meaning: 'The field does not exist' },
  '42704': { status: 400, meaning: 'The type or text search configuration does not exist' },
  '42712': { status: 400, meaning: 'Two embeddings of a row have the same name' },
  '42725': { status: 400, meaning: 'An operator is ambiguous for this field' },
  '42803': { status: 400, meaning: 'A field must be grouped or aggregated to be used here' },
  '42804': { status: 400, meaning: 'An operator does not yield a condition on this field' },
  '42846': { status: 400, meaning: 'A value cannot be cast to this type' },
  '42883': { status: 400, meaning: 'The operator or function does not exist for this type' },
  '42P10': { status: 400, meaning: 'on_conflict names a field that is not unique' },
  '54000': { status: 400, meaning: 'A request exceeds one of the named limits' },
  '55000': {
    status: 409,
    meaning: 'Later changes touched the rows of an undo, or the database rejects a write to a view',
  },
  '57014': { status: 504, meaning: 'The query took longer than the time limit' },
  P0001: { status: 400, meaning: 'A trigger of an adopted table rejects the row' },
  CAT400: { status: 400, meaning: 'A header of a proxy, or X-As-Claims, could not be read' },
  CAT400R: { status: 400, meaning: 'Rows of the body are invalid; `errors` lists them' },
  CAT400D: { status: 400, meaning: 'The declaration would be invalid' },
  CAT401: { status: 401, meaning: 'The name or password is wrong, or the session has ended' },
  CAT403: { status: 403, meaning: 'A web page of another origin may not write' },
  CAT404: { status: 404, meaning: 'No row has this key' },
  CAT406: { status: 406, meaning: 'None of the accepted content codings is available' },
  CAT409: { status: 409, meaning: 'Another request with the same idempotency key is in progress; retry' },
  CAT409D: { status: 409, meaning: 'The declaration does not fit the stored data' },
  CAT410: { status: 410, meaning: 'The history does not reach back to this time' },
  CAT412: {
    status: 412,
    meaning: 'The row or declaration has changed, or a batch affects another number of rows',
  },
  CAT413: { status: 413, meaning: 'The request body or a file is larger than the limit' },
  CAT414: { status: 414, meaning: 'The URL is longer than the limit' },
  CAT415: {
    status: 415,
    meaning: 'The encoding of the request body is not supported, or a file is not of its media type',
  },
  CAT421: { status: 421, meaning: 'The Host header does not name this service' },
  CAT422: { status: 422, meaning: 'The idempotency key was used for another request' },
  CAT429: {
    status: 429,
    meaning: 'The client exceeded its request rate, its login attempts, its uploads, waiting images or feeds',
  },
  CAT500: { status: 500, meaning: 'An internal error; the details are in the log' },
  CAT501: { status: 501, meaning: 'The database lacks a table that the request needs' },
  CAT503: { status: 503, meaning: 'The database or storage is not available; retry' },
  CAT507: { status: 507, meaning: 'The disk is full; reads work, writes do not' },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** The part of the body that an error is about. */
export interface ErrorLocation {
  /** The position of the row in the body, from 0. */
  readonly index?: number | undefined;
  /** The field; several fields of one key are separated by commas. */
  readonly field?: string | undefined;
  /** The value that the client sent. */
  readonly value?: unknown;
}

export interface ApiErrorDetails extends ErrorLocation {
  /** The violated constraint of the written collection, or of one that refers to it. */
  readonly constraint?: string | undefined;
  /** The names that an unknown name may mean, as part of a sentence. */
  readonly suggestion?: Wording | undefined;
  readonly details?: Wording | undefined;
  /** Whether the details end by saying so. */
  readonly nothingChanged?: boolean | undefined;
  readonly hint?: Wording | undefined;
  /** Headers that explain the error, such as Allow, Content-Range or Retry-After. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Replaces `details`: what an ambiguous request may mean, or the rows in conflict. */
  readonly candidates?: readonly Readonly<Record<string, string | number>>[];
  /** For the log only. */
  readonly cause?: string;
  /** The cause or the code of the system, for the service itself. It distinguishes errors of one code. */
  readonly reason?: string | undefined;
  /** The SQLSTATE that a trigger or rule of an adopted table reports. The client sees it in place of the code. */
  readonly sqlState?: string | undefined;
  /** The status that a function or trigger chooses. */
  readonly status?: number | undefined;
  /** The index of the failing request of a batch. */
  readonly request?: number | undefined;
  /** The first errors of a body, and the number of all. */
  readonly errors?: readonly ApiError[];
  readonly total?: number;
}

export interface ApiErrorData extends ApiErrorDetails {
  readonly code: ErrorCode;
  readonly message: string;
}

export const NOTHING_CHANGED = say`Nothing was changed.`;

/** An expected error with code and status. Repeated input is shortened. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** Message, details and hint as sentences, unless they had to be shortened. */
  readonly wordings: Readonly<Record<'message' | 'details' | 'hint', Wording>>;
  readonly details: string | null;
  readonly hint: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly candidates: ApiErrorDetails['candidates'];
  readonly sqlState: string | undefined;
  readonly constraint: string | undefined;
  readonly suggestion: Wording | undefined;
  readonly reason: string | undefined;
  readonly index: number | undefined;
  readonly field: string | undefined;
  readonly value: unknown;
  readonly errors: readonly ApiError[] | undefined;
  readonly total: number | undefined;
  readonly request: number | undefined;

  constructor(
    readonly code: ErrorCode,
    wording: Wording,
    private readonly given: ApiErrorDetails = {},
  ) {
    const { details, hint, headers, candidates, cause, sqlState, request, index, field, value } = given;
    super(String(withinLimit(wording)), cause === undefined ? undefined : { cause });
    const ending = given.nothingChanged === true ? NOTHING_CHANGED : '';
    const whole = details === undefined || ending === '' ? (details ?? ending) : say`${details} ${ending}`;
    this.wordings = { message: withinLimit(wording), details: withinLimit(whole), hint: withinLimit(hint ?? '') };
    this.details = String(this.wordings.details) || null;
    this.hint = hint === undefined ? null : String(this.wordings.hint);
    this.headers = headers ?? {};
    this.candidates = candidates;
    this.sqlState = sqlState;
    this.request = request;
    this.constraint = given.constraint;
    this.suggestion = given.suggestion;
    this.reason = given.reason;
    this.index = index;
    this.field = field === undefined ? undefined : shorten(field, MAX_ECHOED_VALUE_LENGTH);
    this.value = shortenValue(value);
    this.errors = given.errors;
    this.total = given.total;
  }

  /** The same error with other details. A text of details replaces all of them. */
  with(changes: ApiErrorDetails, wording = this.wordings.message): ApiError {
    const replaced = 'details' in changes ? { nothingChanged: false } : {};
    return new ApiError(this.code, wording, { ...this.given, ...replaced, ...changes });
  }

  /** The data of this error, which can be sent to another thread. */
  toData(): ApiErrorData {
    return { code: this.code, message: this.message, ...withSentences(this.given) };
  }

  /** The message and its details in one sentence. */
  withDetails(): Wording {
    const { message, details } = this.wordings;
    return this.details === null ? message : say`${message}; ${details}`;
  }

  /** The sentences of an error that the code alone does not explain. */
  get sentences(): Readonly<Record<string, Sentence>> | undefined {
    if (!(this.wordings.message instanceof Sentence) || !this.code.startsWith('CAT')) return undefined;
    return withSentences(this.wordings).sentences;
  }

  /** A trigger chooses the status of its error by the SQLSTATE `PT404`, as in PostgREST. */
  get status(): number {
    if (this.given.status !== undefined) return this.given.status;
    const [, chosen] = /^PT([45]\d\d)$/.exec(this.sqlState ?? '') ?? [];
    return chosen === undefined ? ERRORS[this.code].status : Number(chosen);
  }
}

/** The idempotency key belongs to the whole batch. */
const OF_WHOLE_BATCH: readonly ErrorCode[] = ['CAT409', 'CAT422'];

/** Adds the index of the failing request of a batch to an error that concerns it. */
export function withRequest<E>(error: E, request: number): E | ApiError {
  if (!(error instanceof ApiError) || error.status >= 500 || OF_WHOLE_BATCH.includes(error.code)) return error;
  return error.with({ request });
}

/** Whether an error is a bug, which the log must explain. */
export function isUnexpected(error: unknown): boolean {
  return error !== undefined && !(error instanceof ApiError);
}

/** The result of the work; undefined if it throws. */
export function unlessThrown<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

type ErrorClass<E> = abstract new (...given: never[]) => E;

/** The result of the work, or of `change` if it throws such an error. `change` may throw an error. */
export function onError<E, T, R>(
  kind: ErrorClass<E>,
  work: () => Promise<T>,
  change: (error: E) => R | Promise<R>,
): Promise<T | R>;
export function onError<E, T, R>(kind: ErrorClass<E>, work: () => T, change: (error: E) => R): T | R;
export function onError<E>(kind: ErrorClass<E>, work: () => unknown, change: (error: E) => unknown): unknown {
  const changed = (error: unknown) => {
    if (error instanceof kind) return change(error);
    throw error;
  };
  try {
    const result = work();
    return result instanceof Promise ? result.catch(changed) : result;
  } catch (error) {
    return changed(error);
  }
}

/** The result of the work; undefined if it throws an expected error. */
export function unlessRejected<T>(work: () => T): T | undefined {
  return onError(ApiError, work, () => undefined);
}
