/** The columns of a file become fields, by their names or as --map says. */
import { type Collection, type Field, fieldNamed } from '../../collection/declaration.ts';
import { can } from '../../collection/types/type.ts';
import { ConfigError } from '../../config.ts';
import { nearestName } from '../../nearest-name.ts';
import { type RowPlanner, rowPlanner } from '../../plan/row-planner.ts';

export interface Columns {
  readonly plan: RowPlanner;
  readonly given: readonly Field[];
}

/** Column names to field names; an empty field name leaves the column out. */
export type Mapping = ReadonlyMap<string, string>;

/** `Name=product_name`, one or several. */
export function readMapping(text: string, collection: Collection): Mapping {
  const mapping = new Map<string, string>();
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const at = line.lastIndexOf('=');
    if (at <= 0) throw new ConfigError(`--map is written "column=field", or "column=" to leave a column out: ${line}`);
    const [column, field] = [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    if (field !== '' && fieldNamed(collection, field) === undefined) {
      throw new ConfigError(`--map ${line}: there is no field ${field}${nearest(collection, field)}`);
    }
    mapping.set(column, field);
  }
  return mapping;
}

export interface FileForm {
  /** Whether all rows name the same columns, so that a wrong one is a mistake of the file and not of a row. */
  readonly hasHeader: boolean;
  /** Whether 12,50 is a number: asked with the first row. */
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

  /** What is wrong with the columns, where something is. */
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

  /** A mapping of no column that was met is a slip of the pen, which would leave its column as it is. */
  unmet(): string | undefined {
    const met = [...this.known.keys()].flatMap((id) => id.split('\0'));
    for (const [column, field] of this.mapping) {
      if (met.length > 0 && !met.includes(column)) return noColumn(column, field, met);
    }
    return undefined;
  }

  /** The name of a field in this file. */
  nameOf(field: Field): string {
    for (const [column, name] of this.mapping) if (name === field.name) return column;
    return field.name;
  }

  private resolve(names: readonly string[]): Columns | string {
    const fields: (Field | undefined)[] = [];
    for (const name of names) {
      const target = this.mapping.get(name) ?? name;
      const field = target === '' ? undefined : fieldNamed(this.collection, target);
      if (target !== '' && field === undefined) {
        return `there is no field ${name}${nearest(this.collection, name)}; --map "${name}=field" names another, --map "${name}=" leaves it out`;
      }
      if (field !== undefined && fields.includes(field)) return `the field ${field.name} is given twice`;
      fields.push(field);
    }
    for (const [column, field] of this.file.hasHeader ? this.mapping : []) {
      if (!names.includes(column)) return noColumn(column, field, names);
    }
    const plan = rowPlanner(this.collection, fields, { areTexts: this.file.hasHeader });
    return {
      plan: this.file.hasDecimalCommas() ? (cells) => plan(withPoints(fields, cells)) : plan,
      given: fields.filter((field) => field !== undefined),
    };
  }
}

function noColumn(column: string, field: string, names: readonly string[]): string {
  return `--map "${column}=${field}": the file has no column ${column}${perhaps(column, names)}`;
}

const WITH_COMMA = /^\s*[+-]?\d+,\d+\s*$/;

/** Numbers as most of Europe writes them; a point for thousands beside the comma is not guessed at. */
function withPoints(fields: readonly (Field | undefined)[], cells: readonly unknown[]): readonly unknown[] {
  return cells.map((cell, at) =>
    takesDecimals(fields[at]) && typeof cell === 'string' && WITH_COMMA.test(cell) ? cell.replace(',', '.') : cell,
  );
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

function takesDecimals(field: Field | undefined): boolean {
  return field !== undefined && can(field.type, 'number');
}
