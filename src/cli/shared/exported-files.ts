/** `export --files`: writes the files of the exported rows into a folder, and puts their names into the rows. */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Catalogue } from '../../collection/declaration.ts';
import { isFileField } from '../../collection/files.ts';
import { builtIn } from '../../collection/types/index.ts';
import { storeJson } from '../../collection/types/type.ts';
import type { Row } from '../../collection/value.ts';
import { CsvRecords } from '../../declare/rows/csv.ts';
import { NdjsonReader } from '../../declare/rows/json.ts';
import type { FileFormat } from '../../declare/rows/source.ts';
import { type CsvForm, csvHeader, csvLines } from '../../encode/csv.ts';
import type { Engine } from '../../engine/engine.ts';
import { ContentCache } from '../../files/content-cache.ts';
import type { FileStore } from '../../files/store.ts';
import type { ReadPlan } from '../../plan/types.ts';
import { ConfigError } from '../../settings/by-command.ts';
import { filesIn } from './copied-files.ts';
import { read } from './database.ts';

const NAMES = builtIn('text[]');
const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const BYTE_ORDER_MARK = '\uFEFF';

/** Throws unless the folder is new, empty, or may be added to. */
export function checkFolder(folder: string, force: boolean): void {
  try {
    mkdirSync(folder, { recursive: true });
    if (force || readdirSync(folder).length === 0) return;
  } catch (error) {
    throw new ConfigError(`--files ${folder} cannot be used: ${(error as Error).message}`);
  }
  throw new ConfigError(`--files ${folder} is not empty. Choose another folder, or add to it with --force`);
}

/** The rows in a format, with the names of files in the columns of file fields. */
export async function readWithFiles(
  engine: Engine,
  catalogue: Catalogue,
  plan: ReadPlan,
  format: FileFormat,
  form: CsvForm,
  folder: string,
) {
  const columns = plan.columns.map(({ name }) => name);
  const isFile = plan.columns.map(({ expression }) => expression.kind === 'field' && isFileField(expression.field));
  if (!isFile.includes(true)) throw new ConfigError('--files: the rows have no column of a file field');
  const isCsv = format === 'csv';
  const { rows, parts } = await read(engine, plan, isCsv ? 'csv' : 'ndjson', { noFormulas: form.noFormulas === true });
  const files = new ExportedFiles(filesIn(engine, catalogue).files!, folder);
  const named = async (cells: readonly unknown[]): Promise<Row> => {
    const shown = await Promise.all(cells.map((cell, at) => (isFile[at] ? files.nameIn(cell, isCsv) : cell)));
    return Object.fromEntries(columns.map((name, at) => [name, shown[at] ?? null])) as Row;
  };
  return { rows, parts: isCsv ? csvText(parts, columns, form, named) : jsonText(parts, format, named) };
}

type Named = (cells: readonly unknown[]) => Promise<Row>;
type Parts = AsyncIterable<string | Uint8Array>;

async function* csvText(parts: Parts, columns: readonly string[], form: CsvForm, named: Named) {
  yield (form.bom === true ? BYTE_ORDER_MARK : '') + csvHeader(columns, form);
  for await (const record of recordsOf(parts, new CsvRecords(','))) {
    yield csvLines([await named(record.cells)], columns, form);
  }
}

async function* jsonText(parts: Parts, format: FileFormat, named: Named) {
  const isList = format === 'json';
  let separator = isList ? '[' : '';
  for await (const { cells } of recordsOf(parts, new NdjsonReader())) {
    yield separator + JSON.stringify(await named(cells)) + (isList ? '' : '\n');
    separator = isList ? ',\n ' : '';
  }
  if (isList) yield separator === '[' ? '[]' : ']';
}

async function* recordsOf(parts: Parts, reader: CsvRecords | NdjsonReader) {
  const decoder = new TextDecoder();
  const good = (records: ReturnType<typeof reader.push>) => records.filter((each) => each.kind === 'record');
  for await (const part of parts) {
    yield* good(reader.push(typeof part === 'string' ? part : decoder.decode(part, { stream: true })));
  }
  yield* good(reader.end());
}

class ExportedFiles {
  /** The names of the written files by id. */
  private readonly names = new Map<string, Promise<string>>();
  private readonly contents: ContentCache;

  constructor(
    private readonly store: FileStore,
    private readonly folder: string,
  ) {
    this.contents = new ContentCache(store);
  }

  /** The names of the files whose ids are in a cell. */
  async nameIn(cell: unknown, isCsv: boolean): Promise<unknown> {
    if (cell === undefined || cell === null) return null;
    const isList = Array.isArray(cell) || String(cell).startsWith('{');
    const names: string[] = [];
    for (const [id] of String(cell).matchAll(ID)) {
      const name = this.names.get(id) ?? this.write(id);
      this.names.set(id, name);
      names.push(await name);
    }
    if (!isList) return names[0];
    return isCsv ? NAMES.print(storeJson(NAMES, names)) : names;
  }

  /** Files may have equal names, so that each has a folder of its own. */
  private async write(id: string): Promise<string> {
    const [file] = await this.store.find([id]);
    const name = `${id}/${file!.name}`;
    await Bun.write(join(this.folder, name), new Response(await this.contents.open(file!, 0, file!.size)));
    return name;
  }
}
