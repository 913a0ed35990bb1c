export const fields = {
  choose: 'Auswählen …',
  noMatches: 'Keine Treffer',
  searching: 'Wird gesucht …',
  from: 'von',
  upTo: 'bis',
  any: 'Alle',
  isEmpty: 'ist leer',
  isNotEmpty: 'ist nicht leer',
  openFile: 'Datei öffnen',
  addTag: 'Mit Enter hinzufügen',
} as const;
