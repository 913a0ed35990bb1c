/** Maps the columns of a file to fields, by name or by --map. */

import { ApiError } from '../../base/errors.ts';
import { memoize } from '../../base/memo.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import type { Collection, Field } from '../../collection/declaration.ts';
import type { LoadOptions } from '../../engine/shared/loader.ts';
import { cellReader, type Notations } from '../../import/cells.ts';
import { type DateReader, isDated } from '../../import/date-pattern.ts';
import { fieldFromHeader, matchColumns } from '../../import/headers.ts';
import { RowProblem, rowPlanner } from '../../plan/write/row-planner.ts';
import type { StoredRow } from '../../plan/write-plan.ts';
import { ConfigError } from '../../settings/by-command.ts';
import type { CellResolver } from './resolve.ts';

/** The number of field names listed for an unknown column. */
const LISTED_FIELDS = 40;

export interface Columns {
  readonly plan: (cells: readonly unknown[]) => { readonly row: StoredRow; readonly problems: readonly RowProblem[] };
  /** The problem of a row with a value in an unnamed column. */
  readonly stray: (cells: readonly unknown[]) => string | undefined;
  readonly given: readonly Field[];
  /** The fields that a row leaves as they are stored, because their cells are empty (see `LoadBatch`). */
  readonly kept?: (cells: readonly unknown[]) => string;
  /** The cells that name a referenced row by another field. */
  readonly resolved: readonly (readonly [at: number, resolver: CellResolver])[];
}

/** Maps column names to field names; an empty field name skips the column. */
type Mapping = ReadonlyMap<string, string>;

/** `Name=product_name`, one or several. */
export function readMapping(text: string, collection: Collection): Mapping {
  const mapping = new Map<string, string>();
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const at = line.lastIndexOf('=');
    if (at <= 0)
      throw new ConfigError(
        `--map ${line} has no column name before =. Use "column=field", or "column=" to skip a column`,
      );
    const [column, field] = [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    const meant = fieldFromHeader(collection.fields, field);
    if (field !== '' && meant === undefined) {
      throw new ConfigError(`--map ${line}: unknown field ${field}${didYouMean(field, namesOf(collection))}`);
    }
    if (meant?.computed !== undefined) throw new ConfigError(`--map ${line}: ${meant.name} is computed`);
    mapping.set(column, meant?.name ?? '');
  }
  return mapping;
}

/** How columns become fields. */
export interface ColumnOptions extends ConversionOptions {
  readonly mapping: Mapping;
  /** The columns to skip, or the only ones to read. */
  readonly ignored: readonly string[];
  readonly only: readonly string[] | undefined;
  /** The fields that identify a row, if every row needs them. */
  readonly needed: readonly Field[];
  readonly onConflict: LoadOptions['onConflict'];
  /** Whether an empty cell empties the field of an existing row. */
  readonly clearEmpty: boolean;
}

export class ColumnReader {
  private readonly known = new Map<string, Columns | string>();

  constructor(
    private readonly collection: Collection,
    private readonly options: ColumnOptions,
    private readonly notations: Notations,
  ) {}

  /** The field of each column; undefined if the column is skipped or unknown. */
  readonly fields = memoize((names: readonly string[]): readonly (Field | undefined)[] => {
    const given = names.map((name) => (this.isSkipped(name) ? '' : (this.options.mapping.get(name) ?? name)));
    return matchColumns(this.collection.fields, given);
  });

  /** Returns the mapping, or what is wrong with the columns. */
  readonly read = memoize((names: readonly string[]): Columns | string => {
    const id = names.join('\0');
    const columns = this.known.get(id) ?? this.resolve(names);
    this.known.set(id, columns);
    return columns;
  });

  /** Reports a column of a flag that does not occur: it is probably mistyped. */
  unusedColumns(): string | undefined {
    const met = [...this.known.keys()].flatMap((id) => id.split('\0'));
    const unused = met.length > 0 ? this.unused(met) : [];
    return unused.length > 0 ? unused.join('; ') : undefined;
  }

  /** Lists all problems at once. */
  private resolve(names: readonly string[]): Columns | string {
    const { hasHeader, needed, onConflict, resolvers } = this.options;
    const fields = this.fields(names);
    const nameless = hasHeader ? names.flatMap((name, at) => (name === '' ? [at] : [])) : [];
    const unknown = names.filter(
      (name, at) => fields[at] === undefined && !this.isSkipped(name) && !nameless.includes(at),
    );
    const twice = new Set(fields.filter((field, at) => field !== undefined && fields.indexOf(field) < at));
    const absent = needed.filter((field) => !fields.includes(field)).map(({ name }) => name);
    const problems = [
      ...(unknown.length > 0 ? [this.noFields(unknown)] : []),
      ...[...twice].map((field) => `the field ${field!.name} is given twice`),
      ...(absent.length > 0
        ? [`the file has no column for ${absent.join(', ')}, which --match or --mode update needs`]
        : []),
      ...(hasHeader ? this.unused(names) : []),
    ];
    if (problems.length > 0) return problems.join('; ');
    const isUpdate = onConflict === 'update';
    const hasUpdates = isUpdate || onConflict === 'overwrite';
    const keepsEmpty = hasHeader && hasUpdates && !this.options.clearEmpty;
    const rowOptions = { absence: 'no value', areTexts: hasHeader, needed, isUpdate, hasUpdates, keepsEmpty } as const;
    const convert = cellConverter(fields, this.options, this.notations);
    const plan = rowPlanner(this.collection, fields, rowOptions);
    return {
      plan: (cells) => {
        const problems: RowProblem[] = [];
        const report = (problem: RowProblem) => {
          if (problems.every((each) => each.field !== problem.field)) problems.push(problem);
        };
        return { row: plan(convert(cells, report), report), problems };
      },
      resolved: fields.flatMap((field, at) => {
        const resolver = field && resolvers.get(field);
        return resolver === undefined ? [] : [[at, resolver] as const];
      }),
      stray: (cells) => {
        const at = nameless.find((place) => cells[place] !== undefined);
        return at === undefined
          ? undefined
          : `cell ${at + 1} has a value, but the first line has no name for its column`;
      },
      given: fields.filter((field) => field !== undefined),
      ...(keepsEmpty ? { kept: keptFields(this.collection, fields) } : {}),
    };
  }

  private isSkipped(name: string): boolean {
    const { mapping, ignored, only } = this.options;
    // A file that was exported has computed fields as well.
    const isComputed = this.fieldOf(name)?.computed !== undefined;
    if (mapping.get(name) === '' || isComputed || this.isListed(name, ignored)) return true;
    return only !== undefined && !this.isListed(name, only);
  }

  /** Whether a list has the name of a column, or of its field. */
  private isListed(name: string, list: readonly string[]): boolean {
    const field = this.fieldOf(name);
    return list.some((each) => each === name || (field !== undefined && this.fieldOf(each) === field));
  }

  private fieldOf(name: string): Field | undefined {
    return fieldFromHeader(this.collection.fields, this.options.mapping.get(name) ?? name);
  }

  private noFields(names: readonly string[]): string {
    const known = namesOf(this.collection);
    const listed = names.map((name) => `${name === '' ? '""' : name}${didYouMean(name, known)}`).join(', ');
    const rest = known.length - LISTED_FIELDS;
    const fields = known.slice(0, LISTED_FIELDS).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
    const advice = `--map "${names[0]}=field" names another, --map "${names[0]}=" leaves it out`;
    return `unknown field ${listed}; the fields are ${fields}; ${advice}`;
  }

  private unused(names: readonly string[]): string[] {
    const { mapping, ignored, only = [] } = this.options;
    const isAbsent = (listed: string) => names.every((name) => !this.isListed(name, [listed]));
    return [
      ...[...mapping].flatMap(([column, field]) =>
        names.includes(column) ? [] : [noColumn(`--map "${column}=${field}"`, column, names)],
      ),
      ...ignored.filter(isAbsent).map((column) => noColumn('--ignore-columns', column, names)),
      ...only.filter(isAbsent).map((column) => noColumn('--only-columns', column, names)),
    ];
  }
}

function keptFields({ fields: all }: Collection, fields: readonly (Field | undefined)[]) {
  const numbers = fields.map((field) => (field === undefined ? undefined : all.indexOf(field)));
  return (cells: readonly unknown[]): string => {
    const kept = numbers.filter((number, at) => number !== undefined && cells[at] === undefined);
    return kept.length === 0 ? '' : `,${kept.join(',')},`;
  };
}

function noColumn(flag: string, column: string, names: readonly string[]): string {
  return `${flag}: the file has no column ${column}${didYouMean(column, names)}`;
}

function namesOf({ fields }: Collection): readonly string[] {
  return fields.map(({ name }) => name);
}

interface ConversionOptions {
  readonly dates: DateReader | undefined;
  readonly resolvers: ReadonlyMap<Field, CellResolver>;
  /** Whether the file has a header, so that a wrong column is a mistake of the file and not of a row. */
  readonly hasHeader: boolean;
}

/** Converts the cells of a row. A cell that cannot be converted is empty. */
function cellConverter(
  fields: readonly (Field | undefined)[],
  { dates, resolvers, hasHeader }: ConversionOptions,
  notations: Notations,
) {
  const converterOf = (field: Field | undefined): ((cell: unknown) => unknown) | undefined => {
    if (field === undefined) return undefined;
    const resolver = resolvers.get(field);
    if (resolver !== undefined) return (cell) => resolver.keyOf(cell, hasHeader);
    if (isDated(field.type) && dates !== undefined) return ofTexts((cell) => dates(cell, field.type));
    const read = hasHeader ? cellReader(field, notations.of(field)) : undefined;
    return read && ofTexts(read);
  };
  const converters = fields.map(converterOf);
  const converted = [...converters.keys()].filter((at) => converters[at] !== undefined);
  return (cells: readonly unknown[], report: (problem: RowProblem) => void): readonly unknown[] => {
    // Most rows have nothing to convert, and are not copied.
    let result: unknown[] | undefined;
    for (const at of converted) {
      let value: unknown;
      try {
        value = converters[at]!(cells[at]);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        report(new RowProblem(fields[at]!, error));
      }
      if (value === cells[at]) continue;
      result ??= [...cells];
      result[at] = value;
    }
    return result ?? cells;
  };
}

function ofTexts(read: (cell: string) => unknown) {
  return (cell: unknown) => (typeof cell === 'string' ? read(cell) : cell);
}
