/** A thread for maintenance tasks that take time proportional to the file size. It runs one task and ends. */
import { SQLiteError } from 'bun:sqlite';
import { fileProblem, finalPath } from '../../../base/files/output-file.ts';
import type { Wording } from '../../../base/sentence.ts';
import { type Catalogue, declareCatalogue } from '../../../collection/declaration.ts';
import type { CatalogueDraft } from '../../../collection/draft.ts';
import { NO_ROWS } from '../../../plan/write/first-rows.ts';
import { ConfigError } from '../../../settings/setting.ts';
import { describe } from '../errors.ts';
import { planSchema } from '../schema/migrate.ts';
import { NotOurDatabase } from '../schema/schema.ts';
import { backupDatabase, openExisting } from './backup.ts';
import { checkDatabase } from './integrity-check.ts';
import { replayLog, writeSegment } from './log-segment.ts';
import { restoreDatabase } from './restore.ts';

declare const self: Worker;

interface FileAndCatalogue {
  readonly path: string;
  readonly catalogue: Catalogue;
}

const TASKS = {
  backup: backupDatabase,
  restore: restoreDatabase,
  log: writeSegment,
  replay: replayLog,
  check: ({ path, catalogue }: FileAndCatalogue) =>
    checkDatabase(path, catalogue, (step, steps) => self.postMessage({ step, steps })),
  plan: ({ path, catalogue }: FileAndCatalogue) => {
    using db = openExisting(path);
    return planSchema(db, { catalogue, firstRows: NO_ROWS });
  },
};

export type Tasks = typeof TASKS;
/** The input of a task without the catalogue, which is sent as its draft. */
export type TaskInput<K extends keyof Tasks> = Omit<Parameters<Tasks[K]>[0], 'catalogue'>;

export interface MaintenanceRequest {
  readonly kind: keyof Tasks;
  readonly given: Omit<FileAndCatalogue, 'catalogue'> & { readonly file?: string };
  readonly catalogue: CatalogueDraft;
}

export type MaintenanceAnswer =
  | { readonly step: number; readonly steps: number }
  | { readonly done: unknown }
  | { readonly mistake: Wording }
  | { readonly fault: string };

self.onmessage = ({ data }: MessageEvent<MaintenanceRequest>) => {
  self.postMessage(answer(data));
};

function answer({ kind, given, catalogue }: MaintenanceRequest): MaintenanceAnswer {
  try {
    const task = TASKS[kind] as (given: FileAndCatalogue) => unknown;
    return { done: task({ ...given, catalogue: declareCatalogue(catalogue) }) };
  } catch (error) {
    if (error instanceof ConfigError) return { mistake: error.wording };
    const { syscall, path } = error as NodeJS.ErrnoException;
    // A full disk, a missing folder, or missing permissions.
    if (syscall !== undefined)
      return { mistake: `${path === undefined ? '' : `${finalPath(path)}: `}${fileProblem(error)}` };
    if (error instanceof NotOurDatabase) return { mistake: `${given.path}: ${error.message}` };
    // The file that is written is the one that filled the disk.
    const isWritten = kind === 'backup' && (error as SQLiteError).code === 'SQLITE_FULL';
    if (error instanceof SQLiteError) return { mistake: `${isWritten ? given.file : given.path}: ${describe(error)}` };
    return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
