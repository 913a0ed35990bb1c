/**
 * The change log, as far as both engines share it. Triggers append a row to it for every change of a logged collection,
 * in the writing transaction. It holds the whole row before and after as JSON.
 */
import { ApiError } from '../../base/errors.ts';
import type { Catalogue, Collection } from '../../collection/declaration.ts';
import { type Comparison, ofKind } from '../migration/changes.ts';

export const LOG_TABLE = 'catalogue_changes';
/** For each logged collection, the position and time after which its log is complete. */
export const RETAINED_TABLE = 'catalogue_history';

/** Whether the declaration asks for a log. An adopted table needs `history: true`, since a log adds triggers to it. */
export function isLogged({ draft: { history } }: Collection, isAdopted = false): boolean {
  return history ?? !isAdopted;
}

export function loggedCollections({ collections }: Catalogue): readonly Collection[] {
  return [...collections.values()].filter((collection) => isLogged(collection));
}

/** Logged rows of another type, key or name cannot be read any more. */
export function restarted({ changes }: Comparison): readonly string[] {
  const kinds = ['create-collection', 'rename-collection', 'change-key', 'change-type', 'rename-field'] as const;
  return [...new Set(ofKind(changes, ...kinds).map(({ collection }) => collection.name))];
}

/** If the log has such a field from an earlier time, its values may have another type: the log starts again. */
export function addedFields({ changes }: Comparison): readonly { readonly name: string; readonly field: string }[] {
  return ofKind(changes, 'add-field').map(({ collection, field }) => ({ name: collection.name, field: field.name }));
}

/** `--history-days` is 0, or the role of the connection may not create triggers. */
export function notLogged(): ApiError {
  return new ApiError('CAT501', 'changes are not logged', {
    hint: 'Start the service with --history-days, or run catalogue migrate --history-days 30 with a role that may create triggers.',
  });
}
