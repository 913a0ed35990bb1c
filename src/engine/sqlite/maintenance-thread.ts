/** The thread for what takes as long as the file is large: it does one thing, and ends. */
import { SQLiteError } from 'bun:sqlite';
import { declareCatalogue } from '../../collection/declaration.ts';
import type { CatalogueDraft } from '../../collection/draft.ts';
import { ConfigError } from '../../settings/setting.ts';
import { backupDatabase } from './backup.ts';
import { checkDatabase } from './check.ts';
import { restoreDatabase } from './restore.ts';
import { NotOurDatabase } from './schema.ts';

declare const self: Worker;

interface Demand {
  readonly path: string;
  readonly catalogue: CatalogueDraft;
}

export type MaintenanceRequest = Demand &
  (
    | { readonly kind: 'backup' | 'restore'; readonly file: string; readonly replace: boolean }
    | { readonly kind: 'check' }
  );

export type MaintenanceAnswer =
  | { readonly step: number; readonly steps: number }
  | { readonly done: unknown }
  | { readonly mistake: string }
  | { readonly fault: string };

self.onmessage = ({ data }: MessageEvent<MaintenanceRequest>) => {
  self.postMessage(answer(data));
};

function tell(step: number, steps: number): void {
  self.postMessage({ step, steps } satisfies MaintenanceAnswer);
}

function answer(request: MaintenanceRequest): MaintenanceAnswer {
  const catalogue = declareCatalogue(request.catalogue);
  try {
    switch (request.kind) {
      case 'backup':
        return { done: backupDatabase(request.path, request.file, catalogue, request.replace) };
      case 'restore':
        return { done: restoreDatabase(request.path, request.file, catalogue, request.replace) };
      case 'check':
        return { done: checkDatabase(request.path, catalogue, tell) };
    }
  } catch (error) {
    if (error instanceof ConfigError || isFileError(error)) return { mistake: (error as Error).message };
    if (error instanceof NotOurDatabase || error instanceof SQLiteError) {
      return { mistake: `${request.path}: ${error.message}` };
    }
    return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

/** A full disk, a folder that is not there, a file that may not be written. */
function isFileError(error: unknown): boolean {
  return typeof (error as { syscall?: unknown }).syscall === 'string';
}
