/** Collects the problems of bad rows, and prints the same message once for all its rows. */
import { amount } from '../../base/amount.ts';
import { MAX_LISTED_ERRORS } from '../../base/limits/http.ts';

export interface Problem {
  readonly line: number;
  readonly field?: string;
  readonly code?: string;
  readonly reason: string;
}

interface Message {
  readonly first: Problem;
  readonly lines: number[];
  rows: number;
  /** Whether its rows have different reasons. */
  isMixed: boolean;
}

export class Problems {
  /** The problems of the first bad rows. */
  readonly list: Problem[] = [];
  private readonly messages = new Map<string, Message>();
  private rows = 0;
  private listed = 0;

  /** Rows that exist already share one message if `key` names their fields. */
  constructor(private readonly key: readonly string[]) {}

  readonly add = (problems: readonly Problem[]): void => {
    this.rows++;
    const isListed = this.rows <= MAX_LISTED_ERRORS;
    if (isListed) this.list.push(...problems);
    let isCounted = false;
    for (const problem of problems) {
      const { field = '', reason, line } = problem;
      const id = `${field}\0${this.isTaken(problem) ? '' : reason}`;
      const message = this.messages.get(id) ?? { first: problem, lines: [], rows: 0, isMixed: false };
      if (message.rows === 0 && !isListed) continue;
      this.messages.set(id, message);
      message.rows++;
      message.isMixed ||= message.first.reason !== reason;
      if (isListed) message.lines.push(line);
      isCounted = true;
    }
    if (isCounted) this.listed++;
  };

  /** Whether existing keys are the only problem, e.g. because the file is imported again. */
  get areTaken(): boolean {
    return this.list.length > 0 && this.list.every((each) => this.isTaken(each));
  }

  print(): string {
    const messages = [...this.messages.values()].toSorted((one, other) => one.first.line - other.first.line);
    const rest = this.rows - this.listed;
    return [...messages.map(describe), ...(rest > 0 ? [`and ${amount(rest, 'bad row')} more`] : [])]
      .map((line) => `${line}\n`)
      .join('');
  }

  private isTaken({ code, field = '' }: Problem): boolean {
    return code === '23505' && this.key.includes(field);
  }
}

function describe({ first, lines, rows, isMixed }: Message): string {
  const more = rows > lines.length ? ` and ${rows - lines.length} more` : '';
  const place = rows === 1 ? `line ${first.line}` : `lines ${ranges(lines)}${more} (${amount(rows)})`;
  const reason = isMixed ? 'the rows exist already' : first.reason;
  return `${place}${first.field === undefined ? '' : `, ${first.field}`}: ${reason}`;
}

/** `2, 4-7`. */
function ranges(numbers: readonly number[]): string {
  const found: [first: number, last: number][] = [];
  for (const number of numbers.toSorted((one, other) => one - other)) {
    const last = found.at(-1);
    if (last !== undefined && number === last[1] + 1) last[1] = number;
    else found.push([number, number]);
  }
  return found.map(([first, last]) => (first === last ? first : `${first}-${last}`)).join(', ');
}
