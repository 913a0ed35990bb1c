import { formatNumber, plural } from '../numbers.ts';

export const history = {
  title: 'History',
  day: 'Day',
  previousDay: 'Previous day',
  person: 'Person',
  everybody: 'Everybody',
  collection: 'Collection',
  allCollections: 'All collections',
  allFields: 'All fields',
  unknown: 'Unknown',
  none: 'No changes yet.',
  noChanges: 'No changes on this day',
  noChangesText: 'Choose another day, or clear the filters.',
  more: 'Show more',
  tooMany: (count: string) => `Only ${count} requests are shown. Choose a collection.`,
  heads: ['Row', 'Field', 'Old → new'] as readonly string[],
  kinds: { insert: 'created', update: 'changed', delete: 'deleted' },
  willBe: { insert: 'comes back', update: 'gets the old values', delete: 'is deleted' },
  restoreAll: 'Restore all',
  restoreAllTitle: 'Restore everything that this request changed?',
  restoreRow: { insert: 'Remove the row', update: 'Restore the row as before', delete: 'Restore the deleted row' },
  restoreTitle: (title: string) => `Restore ${title}?`,
  restoreValue: (value: string) => `Restore ${value}`,
  valueRestored: 'The value was restored.',
  restored: (undone: string, skipped: string) =>
    skipped === '0' ? `Restored: ${undone} changes.` : `Restored: ${undone} changes. ${skipped} rows stay as they are.`,
  willChange: (count: number) => plural(count, 'One change is undone:', `${formatNumber(count)} changes are undone:`),
  changedSince: (count: number) =>
    plural(
      count,
      'Someone changed one row since. It stays as it is:',
      `Someone changed ${formatNumber(count)} rows since. They stay as they are:`,
    ),
  nothingToRestore: 'Nothing can be restored.',
  off: 'The service keeps no log of changes.',
} as const;
