/** A thread for maintenance tasks that take time proportional to the file size. It runs one task and ends. */
import { SQLiteError } from 'bun:sqlite';
import { fileProblem, finalPath } from '../../../base/files/output-file.ts';
import { type Catalogue, declareCatalogue } from '../../../collection/declaration.ts';
import type { CatalogueDraft } from '../../../collection/draft.ts';
import { NO_ROWS } from '../../../plan/write/first-rows.ts';
import { ConfigError } from '../../../settings/setting.ts';
import { describe } from '../errors.ts';
import { planSchema } from '../schema/migrate.ts';
import { NotOurDatabase } from '../schema/schema.ts';
import { backupDatabase, type CopyRequest, openExisting, type RestoreRequest } from './backup.ts';
import { checkDatabase } from './integrity-check.ts';
import { type ReplayRequest, replayLog, type SegmentRequest, writeSegment } from './log-segment.ts';
import { restoreDatabase } from './restore.ts';

declare const self: Worker;

/** A catalogue is transferred as its draft. */
type Sent<T extends { readonly catalogue: Catalogue }> = Omit<T, 'catalogue'> & { readonly catalogue: CatalogueDraft };

export type MaintenanceRequest =
  | ({ readonly kind: 'backup' } & Sent<CopyRequest>)
  | ({ readonly kind: 'restore' } & Sent<RestoreRequest>)
  | ({ readonly kind: 'log' } & Sent<SegmentRequest>)
  | ({ readonly kind: 'replay' } & Sent<ReplayRequest>)
  | { readonly kind: 'check' | 'plan'; readonly path: string; readonly catalogue: CatalogueDraft };

export type MaintenanceAnswer =
  | { readonly step: number; readonly steps: number }
  | { readonly done: unknown }
  | { readonly mistake: string }
  | { readonly fault: string };

self.onmessage = ({ data }: MessageEvent<MaintenanceRequest>) => {
  self.postMessage(answer(data));
};

function answer(request: MaintenanceRequest): MaintenanceAnswer {
  const catalogue = declareCatalogue(request.catalogue);
  try {
    switch (request.kind) {
      case 'backup':
        return { done: backupDatabase({ ...request, catalogue }) };
      case 'restore':
        return { done: restoreDatabase({ ...request, catalogue }) };
      case 'log':
        return { done: writeSegment({ ...request, catalogue }) };
      case 'replay':
        return { done: replayLog({ ...request, catalogue }) };
      case 'check':
        return { done: checkDatabase(request.path, catalogue, (step, steps) => self.postMessage({ step, steps })) };
      case 'plan': {
        using db = openExisting(request.path);
        return { done: planSchema(db, { catalogue, firstRows: NO_ROWS }) };
      }
    }
  } catch (error) {
    if (error instanceof ConfigError) return { mistake: error.message };
    const { syscall, path } = error as NodeJS.ErrnoException;
    // A full disk, a missing folder, or missing permissions.
    if (syscall !== undefined)
      return { mistake: `${path === undefined ? '' : `${finalPath(path)}: `}${fileProblem(error)}` };
    if (error instanceof NotOurDatabase) return { mistake: `${request.path}: ${error.message}` };
    if (error instanceof SQLiteError) return { mistake: `${fileAtFault(error, request)}: ${describe(error)}` };
    return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

/** The file that is written is the one that filled the disk. */
function fileAtFault({ code }: SQLiteError, request: MaintenanceRequest): string {
  return request.kind === 'backup' && code === 'SQLITE_FULL' ? request.file : request.path;
}
