/** Maps the columns of a file to fields, by name or by --map. */

import { nearestName } from '../../base/nearest-name.ts';
import type { Collection, Field } from '../../collection/declaration.ts';
import { fieldFromHeader, isFlag, readFlag } from '../../collection/spreadsheet-values.ts';
import { type RowPlanner, type RowProblem, rowPlanner, rowProblems } from '../../plan/write/row-planner.ts';
import { ConfigError } from '../../settings/by-command.ts';
import { withDecimalCommas, withPoints } from './decimal-commas.ts';

/** The number of field names listed for an unknown column. */
const LISTED_FIELDS = 40;

export interface Columns {
  readonly plan: RowPlanner;
  /** All problems of a row that cannot be planned. */
  readonly problems: (cells: readonly unknown[]) => readonly RowProblem[];
  /** The problem of a row with a value in an unnamed column. */
  readonly stray: (cells: readonly unknown[]) => string | undefined;
  readonly given: readonly Field[];
}

/** Maps column names to field names; an empty field name skips the column. */
export type Mapping = ReadonlyMap<string, string>;

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
      throw new ConfigError(`--map ${line}: unknown field ${field}${nearest(collection, field)}`);
    }
    mapping.set(column, meant?.name ?? '');
  }
  return mapping;
}

interface FileForm {
  /** Whether the file has a header, so that a wrong column is a mistake of the file and not of a row. */
  readonly hasHeader: boolean;
  /** Whether 12,50 is a number; called with the first row. */
  readonly hasDecimalCommas: () => boolean;
}

export class ColumnReader {
  private readonly known = new Map<string, Columns | string>();
  private last: readonly string[] | undefined;
  private lastColumns: Columns | string = '';

  constructor(
    private readonly collection: Collection,
    private readonly mapping: Mapping,
    private readonly file: FileForm,
  ) {}

  /** Returns the mapping, or what is wrong with the columns. */
  read(names: readonly string[]): Columns | string {
    if (names === this.last) return this.lastColumns;
    const id = names.join('\0');
    let columns = this.known.get(id);
    if (columns === undefined) {
      columns = this.resolve(names);
      this.known.set(id, columns);
    }
    this.last = names;
    this.lastColumns = columns;
    return columns;
  }

  /** Reports a --map whose column does not occur: it is probably mistyped. */
  unusedMapping(): string | undefined {
    const met = [...this.known.keys()].flatMap((id) => id.split('\0'));
    const unusedMappings = met.length > 0 ? this.unusedMappings(met) : [];
    return unusedMappings.length > 0 ? unusedMappings.join('; ') : undefined;
  }

  /** The column name of a field in a file with these columns; without a header, that of --map. */
  nameOf(field: Field, names: readonly string[]): string {
    const own = names.find((name) => this.fieldOf(name) === field);
    const mapped = [...this.mapping].find(([, name]) => name === field.name)?.[0];
    return own ?? mapped ?? field.name;
  }

  /** Lists all problems at once. */
  private resolve(names: readonly string[]): Columns | string {
    const fields = names.map((name) => this.fieldOf(name));
    const nameless = this.file.hasHeader ? names.flatMap((name, at) => (name === '' ? [at] : [])) : [];
    const unknown = names.filter(
      (name, at) => fields[at] === undefined && this.mapping.get(name) !== '' && !nameless.includes(at),
    );
    const twice = new Set(fields.filter((field, at) => field !== undefined && fields.indexOf(field) < at));
    const problems = [
      ...(unknown.length > 0 ? [this.noFields(unknown)] : []),
      ...[...twice].map((field) => `the field ${field!.name} is given twice`),
      ...(this.file.hasHeader ? this.unusedMappings(names) : []),
    ];
    if (problems.length > 0) return problems.join('; ');
    const terms = [this.collection, fields, { absence: 'no value', areTexts: this.file.hasHeader }] as const;
    const hasDecimalCommas = this.file.hasDecimalCommas();
    const withFlags = convertFlags(this.file.hasHeader ? fields : []);
    const plan = rowPlanner(...terms);
    const read = hasDecimalCommas ? withDecimalCommas(fields, plan) : plan;
    const allProblems = rowProblems(...terms);
    return {
      plan: (cells) => read(withFlags(cells)),
      problems: (cells) => allProblems(withFlags(hasDecimalCommas ? withPoints(fields, cells) : cells)),
      stray: (cells) => {
        const at = nameless.find((place) => cells[place] !== undefined);
        return at === undefined
          ? undefined
          : `cell ${at + 1} has a value, but the first line has no name for its column`;
      },
      given: fields.filter((field) => field !== undefined),
    };
  }

  private fieldOf(name: string): Field | undefined {
    return fieldFromHeader(this.collection.fields, this.mapping.get(name) ?? name);
  }

  private noFields(names: readonly string[]): string {
    const listed = names.map((name) => `${name === '' ? '""' : name}${nearest(this.collection, name)}`).join(', ');
    const example = names[0];
    const advice = `--map "${example}=field" names another, --map "${example}=" leaves it out`;
    return `unknown field ${listed}; the fields are ${this.fieldNames()}; ${advice}`;
  }

  private fieldNames(): string {
    const names = this.collection.fields.map(({ name }) => name);
    const rest = names.length - LISTED_FIELDS;
    return names.slice(0, LISTED_FIELDS).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
  }

  private unusedMappings(names: readonly string[]): string[] {
    return [...this.mapping].flatMap(([column, field]) =>
      names.includes(column) ? [] : [noColumn(column, field, names)],
    );
  }
}

/** Converts Yes and No to the values of flag fields. */
function convertFlags(fields: readonly (Field | undefined)[]) {
  const flags = fields.flatMap((field, at) => (isFlag(field) ? [at] : []));
  const isWord = (cells: readonly unknown[]) => flags.some((at) => readFlag(cells[at]) !== cells[at]);
  return (cells: readonly unknown[]): readonly unknown[] =>
    isWord(cells) ? cells.map((cell, at) => (flags.includes(at) ? readFlag(cell) : cell)) : cells;
}

function noColumn(column: string, field: string, names: readonly string[]): string {
  return `--map "${column}=${field}": the file has no column ${column}${perhaps(column, names)}`;
}

function nearest({ fields }: Collection, name: string): string {
  return perhaps(
    name,
    fields.map((field) => field.name),
  );
}

function perhaps(name: string, known: readonly string[]): string {
  const found = nearestName(name, known);
  return found === undefined ? '' : ` (perhaps you meant ${found})`;
}
