/** The real program on a catalogue file, for client tests: one file as it is, and one whose tables count as large. */
import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { SMALL_TABLE_BYTES } from '../../../src/base/limits/engine.ts';
import referenceProducts from '../../../src/collection/reference-products.json' with { type: 'json' };
import { openSqlite } from '../../../src/engine/sqlite/engine.ts';
import { beginningWith, TEST_OPTIONS } from '../engines/sqlite.ts';
import { type Launch, type Service, startService, temporaryFolder } from './process.ts';

export const FILES = ['a file', 'a file with large tables'] as const;

export type FileKind = (typeof FILES)[number];

/** Creates a folder with a catalogue file of this kind. */
export async function folderWith(file: FileKind): Promise<string> {
  const folder = temporaryFolder();
  if (file === 'a file') return folder;
  const path = join(folder, 'catalogue.db');
  const engine = openSqlite({ ...TEST_OPTIONS, path, firstRows: beginningWith(referenceProducts) });
  await engine.close();
  makeLarge(path);
  return folder;
}

/** Makes the products large by the bytes of a column that no declaration has. */
function makeLarge(path: string): void {
  using db = new Database(path);
  db.run('alter table products add column filling blob');
  db.run('update products set filling = zeroblob(?) where id = 1', [SMALL_TABLE_BYTES + 1]);
}

export interface FileServices {
  /** Returns the service on a file, and starts it at the first call. */
  readonly on: (file: FileKind) => Promise<Service>;
  /** Returns what all services have written to standard error. */
  readonly stderr: () => string;
}

export function fileServices({ args = [] }: Pick<Launch, 'args'> = {}): FileServices {
  const started = new Map<FileKind, Service>();
  return {
    on: async (file) => {
      const known = started.get(file);
      if (known !== undefined) return known;
      const service = await startService({ cwd: await folderWith(file), args: ['--log-level', 'error', ...args] });
      started.set(file, service);
      return service;
    },
    stderr: () => [...started.values()].map((service) => service.stderr()).join(''),
  };
}
