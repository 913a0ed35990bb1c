export const grid = {
  rows: (count: string, isOne: boolean) => (isOne ? `${count} row` : `${count} rows`),
  newRow: 'New row',
  openRow: (title: string) => `Open ${title}`,
  sortAscending: 'sorted ascending',
  sortDescending: 'sorted descending',
  empty: 'No rows yet',
  emptyText: 'Add the first row, or import a file.',
  noMatches: 'No row matches',
  noMatchesText: 'Change or remove a filter.',
  clearFilters: 'Clear filters',
  request: 'Request',
} as const;
