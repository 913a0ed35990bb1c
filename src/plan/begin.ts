/** The catalogue that a command or a service works on: the one that a file declares, with its rows, or the built-in one. */
import { type Begun, BUILT_IN } from '../collection/built-in.ts';
import {
  type Catalogue,
  type Collection,
  declareCatalogue,
  type Field,
  withMaxValue,
} from '../collection/declaration.ts';
import type { Row } from '../collection/value.ts';
import { loadDeclaration } from '../declare/find.ts';
import { BadRows, type RowBatch, readRows } from '../declare/rows.ts';
import { firstRowsOf } from './first-rows.ts';
import { RowProblem, rowPlanner } from './row-planner.ts';
import type { StoredRow } from './types.ts';

export interface Beginning extends Begun {
  /** What a new collection begins with. */
  readonly firstRows: (collection: Collection) => readonly StoredRow[];
}

export interface BeginOptions {
  readonly withRows?: boolean;
  /** The longest value that may be stored, where it is not the usual one. */
  readonly maxValueBytes?: number;
}

/** `file` is the one that is named, or empty. Rows are read and checked before anything is opened. */
export async function begin(file: string, { withRows = false, maxValueBytes }: BeginOptions = {}): Promise<Beginning> {
  const draft = await loadDeclaration(file);
  const bounded = (catalogue: Catalogue) =>
    maxValueBytes === undefined ? catalogue : withMaxValue(catalogue, maxValueBytes);
  if (draft === undefined) {
    return { ...BUILT_IN, catalogue: bounded(BUILT_IN.catalogue), firstRows: firstRowsOf(BUILT_IN) };
  }
  const catalogue = bounded(declareCatalogue(draft));
  const stored = new Map<string, StoredRow[]>();
  const samples = new Map<string, Row[]>();
  for (const collection of withRows ? catalogue.collections.values() : []) {
    const rows: StoredRow[] = [];
    const shown: Row[] = [];
    const bad = new BadRows(collection.draft.rows ?? '');
    for await (const batch of readRows(collection.draft, bad)) {
      rows.push(...plannedRows(collection, batch, bad));
      if (shown.length === 0) shown.push(...batch.rows.slice(0, SAMPLES).map((row) => sampleOf(batch, row.cells)));
    }
    stored.set(collection.name, rows);
    samples.set(collection.name, shown);
  }
  return {
    catalogue,
    rows: (name) => samples.get(name) ?? [],
    firstRows: ({ name }) => stored.get(name) ?? [],
  };
}

/** Rows to show as examples. */
const SAMPLES = 3;

function sampleOf({ columns }: RowBatch, cells: readonly unknown[]): Row {
  return Object.fromEntries(columns.map((name, index) => [name, (cells[index] ?? null) as Row[string]]));
}

function* plannedRows(collection: Collection, batch: RowBatch, bad: BadRows): Generator<StoredRow> {
  const fields = batch.columns.map((name): Field | undefined => collection.byName.get(name));
  const plan = rowPlanner(collection, fields, { areTexts: batch.format === 'csv' });
  for (const { line, cells } of batch.rows) {
    try {
      yield plan(cells);
    } catch (error) {
      if (!(error instanceof RowProblem)) throw error;
      bad.add(line, `${error.field.name}: ${error.message}`);
    }
  }
}
