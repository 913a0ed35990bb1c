export const grid = {
  rows: (count: string, isOne: boolean) => (isOne ? `${count} Zeile` : `${count} Zeilen`),
  newRow: 'Neue Zeile',
  openRow: (title: string) => `${title} öffnen`,
  sortAscending: 'aufsteigend sortiert',
  sortDescending: 'absteigend sortiert',
  empty: 'Noch keine Zeilen',
  emptyText: 'Fügen Sie die erste Zeile hinzu, oder importieren Sie eine Datei.',
  noMatches: 'Keine Zeile passt',
  noMatchesText: 'Ändern oder entfernen Sie einen Filter.',
  clearFilters: 'Filter entfernen',
  request: 'Anfrage',
} as const;
