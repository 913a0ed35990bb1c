/** Loads the catalogue of a command or service: the declared one with its rows, or the built-in one. */
import { BUILT_IN, type CatalogueWithRows } from '../collection/built-in.ts';
import {
  type CatalogueSettings,
  type Collection,
  declareCatalogue,
  type Field,
  withSettings,
} from '../collection/declaration.ts';
import type { CatalogueDraft } from '../collection/draft.ts';
import { parseJson } from '../collection/exact-json.ts';
import type { Row } from '../collection/value.ts';
import { firstRowsOf, RepeatedRows } from '../plan/write/first-rows.ts';
import { rowPlanner } from '../plan/write/row-planner.ts';
import type { StoredRow } from '../plan/write-plan.ts';
import { ConfigError } from '../settings/setting.ts';
import { findDeclaration } from './declaration-file.ts';
import { BadRows, type RowBatch, readRows } from './rows.ts';

interface LoadedCatalogue extends CatalogueWithRows {
  /** The initial rows of a new collection. */
  readonly firstRows: (collection: Collection) => readonly StoredRow[];
  /** Whether a file declares it; false for the built-in catalogue. */
  readonly isDeclared: boolean;
}

interface LoadCatalogueOptions extends CatalogueSettings {
  readonly withRows?: boolean;
}

/** `file` is the path of the declaration, or empty. Invalid rows are reported when they are read. */
export async function loadCatalogue(
  file: string,
  { withRows = false, ...settings }: LoadCatalogueOptions = {},
): Promise<LoadedCatalogue> {
  const draft = await loadDeclaration(file);
  if (draft === undefined) {
    return {
      ...BUILT_IN,
      catalogue: withSettings(BUILT_IN.catalogue, settings),
      firstRows: firstRowsOf(BUILT_IN),
      isDeclared: false,
    };
  }
  const catalogue = declareCatalogue({ ...draft, ...settings });
  const stored = new Map<string, () => readonly StoredRow[]>();
  const samples = new Map<string, Row[]>();
  for (const collection of withRows ? catalogue.collections.values() : []) {
    const rows: StoredRow[] = [];
    const shown: Row[] = [];
    const bad = new BadRows(collection.draft.rows ?? '');
    const repeated = new RepeatedRows(collection);
    try {
      for await (const batch of readRows(collection.draft, bad)) {
        const planned = [...plannedRows(collection, batch, bad, repeated)];
        rows.push(...planned);
        shown.push(...planned.slice(0, SAMPLES - shown.length).map((row) => sampleOf(collection, row)));
      }
      stored.set(collection.name, () => rows);
      samples.set(collection.name, shown);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      // Rows are stored only when their table is created; later the file may be out of date.
      stored.set(collection.name, () => {
        throw error;
      });
    }
  }
  return {
    catalogue,
    rows: (name) => samples.get(name) ?? [],
    firstRows: ({ name }) => stored.get(name)?.() ?? [],
    isDeclared: true,
  };
}

/** Undefined without a declaration: the built-in catalogue is used. */
async function loadDeclaration(named: string): Promise<CatalogueDraft | undefined> {
  const file = findDeclaration(named);
  if (file === undefined) return undefined;
  // Loaded lazily, so that a service without a declaration starts faster.
  const { readDeclaration } = await import('./read.ts');
  return readDeclaration(file);
}

/** The number of example rows. */
const SAMPLES = 3;

/** The row as JSON, without values that are assigned later. */
function sampleOf({ fields }: Collection, row: StoredRow): Row {
  const cells = fields.flatMap(({ name, type }, index) => {
    const value = row[index];
    return value === undefined ? [] : [[name, value === null ? null : parseJson(type.json(value))]];
  });
  return Object.fromEntries(cells) as Row;
}

function* plannedRows(
  collection: Collection,
  batch: RowBatch,
  bad: BadRows,
  repeated: RepeatedRows,
): Generator<StoredRow> {
  const fields = batch.columns.map((name): Field | undefined => collection.byName.get(name));
  const plan = rowPlanner(collection, fields, { absence: 'no value', areTexts: batch.format === 'csv' });
  for (const { line, cells } of batch.rows) {
    let problem: string | undefined;
    const row = plan(cells, ({ field, message }) => {
      problem ??= `${field.name}: ${message}`;
    });
    problem ??= repeated.problemOf(row, line);
    if (problem === undefined) yield row;
    else bad.add(line, problem);
  }
}
