/** Explains errors in everyday words, by code. The service's own message is for `detailsOf`. */
import { ApiError as ValueError } from '../../../base/errors.ts';
import { language } from '../i18n/locale.ts';
import { t, translated } from '../i18n/text.ts';
import { type Collection, type Field, helpTextOf, labelOf } from './catalogue.ts';
import { type ApiError, type Problem, type ProblemText, problemOf } from './errors.ts';
import { LoginError } from './session/session.ts';

/** Sentences by error code. `value` is the rejected value. */
const SENTENCES: Readonly<Record<string, (value: string, problem: Problem, field?: Field) => string>> = {
  '22P02': wrongValue,
  '22007': wrongValue,
  '22008': wrongValue,
  '22003': () => t.errors.tooLarge,
  '22001': () => t.errors.tooLong,
  '23502': () => t.errors.required,
  '23505': (value) => t.errors.duplicate(value),
  '23503': (value, { field }) => (field === undefined ? t.errors.stillUsed : t.errors.missingReference(value)),
  '23514': (_value, _problem, field) =>
    field?.rules.pattern === undefined ? t.errors.ruleBroken : t.errors.pattern(helpTextOf(field) ?? '').trim(),
  '428C9': () => t.errors.readOnly,
  '42501': () => t.errors.forbidden,
  '2201B': () => t.errors.badFilter,
  '42601': () => t.errors.badFilter,
  '42703': () => t.errors.badFilter,
  '42883': () => t.errors.badFilter,
  PGRST100: () => t.errors.badFilter,
  '54000': () => t.errors.limit,
  CAT414: () => t.errors.limit,
  '57014': () => t.errors.timeout,
  PGRST124: () => t.errors.moreRows,
  CAT404: () => t.errors.notFound,
  PGRST116: () => t.errors.notFound,
  CAT412: () => t.errors.changedByOthers,
  CAT413: () => t.errors.tooBig,
  CAT422: () => t.errors.reusedKey,
  CAT429: () => t.errors.tooManyRequests,
  CAT503: () => t.errors.unavailable,
  CAT507: () => t.errors.diskFull,
};

const LOGIN_SENTENCES: typeof SENTENCES = {
  CAT401: () => t.errors.wrongLogin,
  CAT429: () => t.errors.tooManyLogins,
  // The only rule for a new password.
  PGRST102: () => t.settings.passwordHelp,
};

/** A filter has no field of its own. The service's message then ends with the value. */
function wrongValue(text: string, { value, message }: Problem): string {
  return t.errors.wrongValue(value === undefined ? (/"(.*)"/s.exec(message)?.[1] ?? '') : text);
}

/** A text of the service in the language of the person; undefined if the service has it in English only. */
export function textOf(problem: Problem, part: ProblemText): string | undefined {
  const said = problem.sentences?.[part] ?? (language === 'en' ? problem[part] : undefined);
  return said == null ? undefined : translated(said);
}

/** The texts for people: of the service itself, and of a function or trigger that someone wrote for them. */
function wordsOf(problem: Problem, ...parts: readonly ProblemText[]): readonly string[] {
  if (problem.code.startsWith('CAT')) return parts.flatMap((part) => textOf(problem, part) ?? []);
  return problem.code.startsWith('P0001') ? parts.flatMap((part) => problem[part] ?? []) : [];
}

const messageOf = (problem: Problem): string =>
  wordsOf(problem, 'message', 'hint')
    .map((text) => text.replace(/[^.!?]$/, '$&.'))
    .join(' ');

/** The sentence for a problem of one field, without its label. */
export function explainProblem(problem: Problem, field?: Field): string {
  const { code, value } = problem;
  const text = Array.isArray(value) ? value.join(', ') : String(value ?? '');
  const byCode = problem.sentences === undefined ? SENTENCES[code]?.(text, problem, field) : undefined;
  return byCode ?? (messageOf(problem) || t.errors.rejected(code));
}

/** One sentence for any error, with the label of the field that it concerns. */
export function explain(error: unknown, collection?: Collection): string {
  // fetch throws a TypeError if no answer came, with a message that differs by browser.
  if (error instanceof TypeError) return t.errors.unreachable;
  if (error instanceof ValueError) return explainProblem(error as Problem);
  const problem = problemOf(error);
  const { name, message } = error as Error;
  // The browser's own errors have English messages.
  if (problem === undefined) return name === 'Error' ? message : t.errors.failed(name ?? String(error));
  if (error instanceof LoginError)
    return LOGIN_SENTENCES[problem.code]?.('', problem) ?? t.errors.rejected(problem.code);
  if ((error as ApiError).status === 401) return t.errors.loggedOut;
  if ((error as ApiError).status >= 500 && SENTENCES[problem.code] === undefined)
    return messageOf(problem) || t.errors.unavailable;
  const field = collection?.byName.get(problem.field?.split(',')[0] ?? '');
  const sentence = explainProblem(problem, field);
  return field === undefined ? sentence : t.errors.inField(labelOf(field), sentence);
}

/** The code, and the service's own message if it is for people: others quote SQL and regular expressions. */
export function detailsOf(error: unknown): string | undefined {
  const problem = problemOf(error);
  if (problem === undefined) return undefined;
  const words = wordsOf(problem, 'message', 'details', 'hint');
  return [`${(error as ApiError).status} ${problem.code}`, ...words].join('\n');
}
