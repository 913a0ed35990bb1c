/**
 * The notation of the numbers or dates of a column. Its cells show it: 1.299 is 1299 beside 12,50, and 1.299 beside
 * 12.50. A column whose cells do not show it has that of the other columns, of the reader's language, or of the file.
 */
import { ApiError } from '../base/errors.ts';
import type { Field } from '../collection/declaration.ts';
import { can, type Type } from '../collection/types/type.ts';
import { type DateOrder, isoDate, orderOf } from './dates.ts';
import { type DecimalMark, markOf, readNumber } from './numbers.ts';

export type Notation = DecimalMark | DateOrder;

/**
 * The notations of the reader's language, for cells that do not show it. Without one, 1.299 and 1,299 are equal, and
 * 3/4/2026 is an error.
 */
export interface DefaultNotation {
  readonly number?: DecimalMark | undefined;
  readonly date?: DateOrder | undefined;
  /** Commas that separate cells are probably no decimal commas. */
  readonly hasCommas?: boolean;
}

interface Kind {
  readonly choices: readonly [Notation, Notation];
  readonly shownBy: (cell: string) => Notation | 'unclear' | undefined;
  /** The cell in the notation of the service; undefined if it has another form. */
  readonly read: (cell: string, notation: Notation) => string | undefined;
  readonly fallback: (cell: string, given: DefaultNotation, type: Type) => Notation | undefined;
  /** If cells of the column differ, and if no cell decides. */
  readonly advice: string;
  readonly adviceAlone: string;
}

const NUMBER: Kind = {
  choices: ['point', 'comma'],
  shownBy: markOf,
  read: (cell, notation) => readNumber(cell, notation as DecimalMark),
  fallback: (cell, { number, hasCommas = false }, type) => {
    if (number !== undefined && !hasCommas) return number;
    const mark = cell.includes(',') && !hasCommas ? 'comma' : 'point';
    return readNumber(cell, mark)?.includes('.') === true && isRounded(type) ? undefined : mark;
  },
  advice: 'use either decimal commas or decimal points in this column',
  adviceAlone: 'the field has fewer decimals, so the mark may separate thousands; write 1299 or 1.3, for example',
};

/** Whether a field has no room for three decimals: there, 1.299 is probably 1299. */
function isRounded(type: Type): boolean {
  return can(type, 'integer') || (type.kind === 'decimal' && Number(type.print(type.store('0.001'))) === 0);
}

const DATE: Kind = {
  choices: ['dayFirst', 'monthFirst'],
  shownBy: orderOf,
  read: (cell, notation) => isoDate(cell, notation as DateOrder),
  fallback: (_cell, { date }) => date,
  advice: 'write the year first, such as 2026-12-31',
  adviceAlone: 'write the year first, such as 2026-12-31',
};

/** The notation of the cells of a field; undefined if all its values are written in one way. */
export function notationOf(
  { type }: Field,
  given: DefaultNotation,
  columns: () => readonly ColumnNotation[] = () => [],
): ColumnNotation | undefined {
  const isDate = type.input === 'date' || type.input === 'datetime';
  return isDate || can(type, 'number') ? new ColumnNotation(isDate ? DATE : NUMBER, type, given, columns) : undefined;
}

export class ColumnNotation {
  /** A cell for each notation that the column shows, and one that does not show any. */
  private readonly examples = new Map<Notation | 'unclear', string>();
  /** A cell that was read although it does not show the notation, and the notation that it was read in. */
  private assumed: { readonly cell: string; readonly notation: Notation } | undefined;
  /** The choice of a person, which the cells do not overrule. */
  chosen: Notation | undefined;

  constructor(
    private readonly kind: Kind,
    private readonly type: Type,
    private readonly given: DefaultNotation,
    /** All columns of the file. */
    private readonly columns: () => readonly ColumnNotation[],
  ) {}

  /** The notations that a person can choose; none if no cell depends on it. */
  get choices(): readonly Notation[] {
    return this.examples.size > 0 ? this.kind.choices : [];
  }

  /** Whether a cell needs others to show its notation. */
  get isUndecided(): boolean {
    return this.examples.has('unclear') && this.shown.length === 0;
  }

  /** The notation of a cell that does not show it; undefined if the column shows both, or nothing decides. */
  current(cell = this.examples.get('unclear') ?? ''): Notation | undefined {
    const [only, other] = this.shown;
    if (this.chosen !== undefined) return this.chosen;
    return other === undefined
      ? (only ?? this.ofOthers() ?? this.kind.fallback(cell, this.given, this.type))
      : undefined;
  }

  /** The notation of the other columns, if they agree. */
  private ofOthers(): Notation | undefined {
    const others = this.columns().filter(({ kind }) => kind === this.kind);
    const [only, other] = new Set(others.flatMap(({ chosen, shown }) => chosen ?? shown));
    return other === undefined ? only : undefined;
  }

  learn(cell: string, shown = this.kind.shownBy(cell)): void {
    if (shown !== undefined && !this.examples.has(shown)) this.examples.set(shown, cell);
  }

  /** The cell in the notation of the service; undefined if it has another form. */
  read(cell: string): string | undefined {
    const { kind, assumed } = this;
    const shown = kind.shownBy(cell);
    if (shown === undefined) return kind.read(cell, kind.choices[0]);
    const notation = this.chosen ?? (shown === 'unclear' ? this.current(cell) : shown);
    if (notation === undefined || (assumed !== undefined && assumed.notation !== notation)) {
      throw this.conflict(cell, assumed?.cell ?? this.examples.get(kind.choices[1]));
    }
    if (shown === 'unclear' && this.shown.length === 0) this.assumed ??= { cell, notation };
    this.learn(cell, shown);
    return kind.read(cell, notation);
  }

  private get shown(): readonly Notation[] {
    return this.kind.choices.filter((each) => this.examples.has(each));
  }

  private conflict(cell: string, other: string | undefined): ApiError {
    const { advice, adviceAlone } = this.kind;
    const problem =
      other === undefined ? `is ambiguous: ${adviceAlone}` : `beside "${other}" of another row: ${advice}`;
    return new ApiError(this.kind === DATE ? '22007' : '22P02', `"${cell}" ${problem}`);
  }
}
