/** Plans the import of each row before anything is sent: the values, the stored row, and the faults in cells. */
import { uniqueSets } from '../../../collection/declaration.ts';
import { isNullIfEmpty, type Notations } from '../../../import/cells.ts';
import type { ColumnNotation } from '../../../import/notation.ts';
import {
  type Collection,
  type Field,
  isNeeded,
  isNumeric,
  isText,
  labelOf,
  may,
  mayWrite,
  type Row,
  referenceOf,
  titleOfCollection,
  type Value,
} from '../api/catalogue.ts';
import { keyText } from '../api/query/text.ts';
import { readMatching } from '../api/stored-rows.ts';
import { isSame } from '../base/same.ts';
import type { FieldPlace, Parsed } from '../fields/kind.ts';
import { isKeyText, type Names } from '../fields/names.ts';
import { notationsOf, parsePlain } from '../fields/parse.ts';
import { kindOf } from '../fields/registry.ts';
import { t } from '../i18n/text.ts';
import { askOnce, ROWS_PER_REQUEST } from './ask-once.ts';
import { assignsKeys, type ImportOptions, type Match, matchesOf, matchLabel } from './columns.ts';
import { cellText, type SheetRow } from './sheet.ts';

export interface Fault {
  /** Absent if the service rejects the row as a whole. */
  readonly field?: string;
  readonly message: string;
}

/** Names of rows that the import creates first, by reference field. */
export type Pending = Readonly<Record<string, string>>;

/** The planned result for one row. `exists` waits for the person's decision. */
export type RowPlan =
  | { readonly kind: 'bad'; readonly faults: readonly Fault[] }
  | { readonly kind: 'new'; readonly row: Row; readonly pending: Pending }
  | { readonly kind: 'change' | 'exists'; readonly stored: Row; readonly changes: Row; readonly pending: Pending }
  | { readonly kind: 'same' | 'left' };

export interface Plan {
  readonly rowPlans: readonly RowPlan[];
  /** Number of file rows that match a stored row. */
  readonly existing: number;
  /** Number of matching rows that differ from the stored row. */
  readonly differing: number;
  /** Number of empty cells whose stored field has a value. */
  readonly emptied: number;
  /** Names that have no row, by reference field. */
  readonly missing: ReadonlyMap<Field, ReadonlySet<string>>;
  /** Undefined if the file has typed values. */
  readonly notations: Notations | undefined;
}

interface ParsedRow {
  readonly values: ReadonlyMap<Field, Value>;
  readonly empty: ReadonlySet<Field>;
  readonly pending: ReadonlyMap<Field, string>;
  readonly faults: Fault[];
}

export async function planImport(options: ImportOptions, names: Names): Promise<Plan> {
  const { collection, sheet, mapping, formats, decision } = options;
  const cells = sheet.rows.map((row) => row.cells);
  // Cells of JSON are values.
  const notations = sheet.areTexts ? notationsOf(sheet.separator, mapping, cells, formats) : undefined;
  const missing = new Map<Field, Set<string>>();
  const parsedRows = sheet.rows.map((row) => parseRow(row, options, notations, names, missing));
  markRepeated(parsedRows, options);
  const found = await findStored(parsedRows, options);
  /** The line of the file that matched each stored row. */
  const lines = new Map<Row, number>();
  let [existing, differing, emptied] = [0, 0, 0];
  const rowPlans = parsedRows.map((parsed, at): RowPlan => {
    const { line, broken } = sheet.rows[at]!;
    if (broken !== undefined) return { kind: 'bad', faults: parsed.faults };
    const rows = found[at]!;
    if (rows.length === 0) return planNew(parsed, options, parsed.values);
    existing += 1;
    // An added row does not keep the key of the row that it duplicates.
    const isAdded = ([field]: [Field, Value]) => !assignsKeys(collection) || !collection.key.includes(field);
    if (decision === 'add') return planNew(parsed, options, new Map([...parsed.values].filter(isAdded)));
    if (decision === 'leave') return { kind: 'left' };
    const [stored] = rows as [Row];
    const earlier = lines.get(stored);
    if (rows.length > 1) parsed.faults.push({ message: t.importing.ambiguous(rows.length) });
    else if (earlier !== undefined) parsed.faults.push({ message: t.importing.sameStoredRow(earlier) });
    lines.set(stored, line);
    const changes = changesOf(parsed, stored, options);
    emptied += [...parsed.empty].filter((field) => !field.required && (stored[field.name] ?? '') !== '').length;
    const isSameRow = Object.keys(changes).length === 0 && parsed.pending.size === 0;
    if (!isSameRow) differing += 1;
    if (parsed.faults.length > 0) return { kind: 'bad', faults: parsed.faults };
    if (isSameRow) return { kind: 'same' };
    return { kind: decision === undefined ? 'exists' : 'change', stored, changes, pending: pendingOf(parsed) };
  });
  return { rowPlans, existing, differing, emptied, missing, notations };
}

const pendingOf = ({ pending }: ParsedRow): Pending =>
  Object.fromEntries([...pending].map(([{ name }, text]) => [name, text]));

function parseRow(
  { cells, broken }: SheetRow,
  { collection, sheet, mapping, createsReferences }: ImportOptions,
  notations: Notations | undefined,
  names: Names,
  missing: Map<Field, Set<string>>,
): ParsedRow {
  const values = new Map<Field, Value>();
  const empty = new Set<Field>();
  const pending = new Map<Field, string>();
  const faults: Fault[] = [];
  if (broken !== undefined) faults.push({ message: broken.problem });
  else if (mapping.every((field) => field === undefined)) faults.push({ message: t.importing.noField });
  for (const [column, field] of mapping.entries()) {
    if (field === undefined || broken !== undefined) continue;
    const text = cellText(cells[column]).trim();
    const other = referenceOf(collection, field);
    if (other !== undefined && text !== '' && cells[column] !== null && !isKeyText(field, text)) {
      const meaning = names.get(field)?.get(text) ?? { count: 0 };
      if ('value' in meaning) values.set(field, meaning.value);
      else if (meaning.count > 0) {
        faults.push({ field: field.name, message: t.importing.ambiguousName(meaning.count, text) });
      } else {
        missing.set(field, (missing.get(field) ?? new Set()).add(text));
        if (createsReferences) pending.set(field, text);
        else faults.push({ field: field.name, message: t.importing.unknownName(text, titleOfCollection(other)) });
      }
      continue;
    }
    const parsed = readCell({ collection, field }, cells[column], notations?.of(field));
    if (parsed === undefined) {
      // In JSON an absent field has no meaning; in a table every cell has one.
      if (sheet.areTexts) empty.add(field);
    } else if ('value' in parsed) values.set(field, parsed.value);
    else faults.push({ field: field.name, message: t.errors.inField(labelOf(field), parsed.problem) });
  }
  return { values, empty, pending, faults };
}

/** Reads a cell. Undefined means that the cell is empty. `notation` is absent for files with typed values (JSON). */
export function readCell(place: FieldPlace, cell: unknown, notation: ColumnNotation | undefined): Parsed | undefined {
  if (cell === undefined) return undefined;
  if (cell === null) return { value: null };
  const { field } = place;
  const text = cellText(cell);
  if (text.trim() === '' && !isText(field)) return undefined;
  const isStructured = field.type.input === 'list' || field.type.input === 'json';
  if (isStructured && typeof cell === 'object') return { value: cell as unknown as Value };
  // The notation of texts beside a number does not concern it.
  const isNumber = typeof cell === 'number' && isNumeric(field) && kindOf(place).name !== 'boolean';
  return isNumber ? parsePlain(field, text) : kindOf(place).parse(place, text, notation);
}

/** Marks rows that repeat unique values of an earlier row, since the service sees only a part of the file at a time. */
function markRepeated(parsedRows: readonly ParsedRow[], { collection, sheet, decision }: ImportOptions): void {
  for (const fields of uniqueSets(collection)) {
    if (decision === 'add' && fields === collection.key && assignsKeys(collection)) continue;
    const seen = new Map<string, number>();
    for (const [at, { values, faults }] of parsedRows.entries()) {
      const text = valuesText(fields, (field) => values.get(field));
      if (text === undefined) continue;
      const earlier = seen.get(text);
      if (earlier === undefined) seen.set(text, at);
      else {
        const label = fields.map(labelOf).join(' + ');
        faults.push({ field: fields[0]!.name, message: t.importing.repeated(sheet.rows[earlier]!.line, label) });
      }
    }
  }
}

/**
 * Finds the stored rows of each file row by the chosen fields. A row without values there is found by the next fields
 * that identify rows.
 */
async function findStored(
  parsedRows: readonly ParsedRow[],
  { collection, sheet, mapping, match }: ImportOptions,
): Promise<readonly (readonly Row[])[]> {
  if (match === undefined) return parsedRows.map(() => []);
  const others = matchesOf(collection, sheet, mapping).filter(({ isUnique }) => isUnique);
  const ways = [match, ...others];
  const textBy = ({ values }: ParsedRow, way: Match) => valuesText(way.fields, (field) => values.get(field));
  const wayOf = (parsed: ParsedRow) => ways.find((way) => textBy(parsed, way) !== undefined);
  const found = new Map<Match, ReadonlyMap<string, readonly Row[]>>();
  for (const way of ways) {
    const rows = parsedRows.map((parsed) => (wayOf(parsed) === way ? rowOf(parsed.values) : undefined));
    found.set(way, await findMatching(collection, way.fields, rows));
  }
  return parsedRows.map((parsed) => {
    const way = wayOf(parsed);
    return (way && found.get(way)?.get(textBy(parsed, way)!)) ?? [];
  });
}

/** The text of the values of these fields, to compare rows; undefined if one is missing. */
function valuesText(fields: readonly Field[], read: (field: Field) => Value | undefined): string | undefined {
  const values = fields.map((field) => read(field) ?? null);
  return values.includes(null) ? undefined : JSON.stringify(values.map(String));
}

/** The stored rows by the text of their values. Rows of the file that are not looked up are undefined. */
async function findMatching(
  collection: Collection,
  fields: readonly Field[],
  rows: readonly (Row | undefined)[],
): Promise<ReadonlyMap<string, readonly Row[]>> {
  const found = new Map<string, Row>();
  for (let start = 0; start < rows.length; start += ROWS_PER_REQUEST) {
    const part = rows.slice(start, start + ROWS_PER_REQUEST).filter((row) => row !== undefined);
    const wanted = part.map((row) => Object.fromEntries(fields.map(({ name }) => [name, row[name] ?? null])));
    const read = () => readMatching(collection, wanted, fields);
    for (const row of await askOnce(['stored', collection.name, wanted], read))
      found.set(keyText(collection, row), row);
  }
  return Map.groupBy(found.values(), (row) => valuesText(fields, ({ name }) => row[name]) ?? '');
}

const rowOf = (values: ReadonlyMap<Field, Value>): Row =>
  Object.fromEntries([...values].map(([{ name }, value]) => [name, value]));

/** Plans a new row. The service reports missing and forbidden values. */
function planNew(parsed: ParsedRow, options: ImportOptions, values: ReadonlyMap<Field, Value>): RowPlan {
  const { collection, match } = options;
  const faults = [...parsed.faults];
  const matchText = match && valuesText(match.fields, (field) => parsed.values.get(field));
  const isGiven = (field: Field) => values.has(field) || parsed.empty.has(field) || parsed.pending.has(field);
  const needed = collection.fields.filter((field) => isNeeded(collection, field) && !isGiven(field));
  if (matchText !== undefined && faults.length === 0 && (needed.length > 0 || !may('create', collection))) {
    // The file changes rows and names one that does not exist.
    const value = match!.fields.map((field) => String(parsed.values.get(field))).join(', ');
    const message = may('create', collection)
      ? t.importing.noSuchRow(matchLabel(match!), value, needed.map(labelOf).join(', '))
      : t.importing.mayNotCreate(matchLabel(match!), value);
    faults.push({ field: match!.fields[0]!.name, message });
  }
  if (faults.length > 0) return { kind: 'bad', faults };
  const nulls = [...parsed.empty].filter((field) => isNullIfEmpty(collection, field));
  const row = { ...Object.fromEntries(nulls.map(({ name }) => [name, null])), ...rowOf(values) };
  return { kind: 'new', row, pending: pendingOf(parsed) };
}

function changesOf(parsed: ParsedRow, stored: Row, { collection, clearsEmpty }: ImportOptions): Row {
  const cleared = clearsEmpty ? [...parsed.empty].filter(({ required }) => !required) : [];
  const wanted = [...parsed.values, ...cleared.map((field) => [field, null] as const)];
  const changed = wanted.filter(
    ([field, value]) => !collection.key.includes(field) && !isSame(value, stored[field.name] ?? null),
  );
  for (const [field] of changed.filter(([each]) => !mayWrite(collection, each, false)))
    parsed.faults.push({ field: field.name, message: t.importing.mayNotChange(labelOf(field)) });
  return Object.fromEntries(changed.map(([{ name }, value]) => [name, value]));
}
