export const fields = {
  choose: ['Choose…', 'Auswählen …'],
  noMatches: ['No matches', 'Keine Treffer'],
  searching: ['Searching…', 'Wird gesucht …'],
  from: ['from', 'von'],
  upTo: ['up to', 'bis'],
  any: ['Any', 'Alle'],
  isEmpty: ['is empty', 'ist leer'],
  isNotEmpty: ['is not empty', 'ist nicht leer'],
  openFile: ['Open the file', 'Datei öffnen'],
  addTag: ['Add with Enter', 'Mit Enter hinzufügen'],
} as const;

export const files = {
  count: ['{count|# file|# files}', '{count|# Datei|# Dateien}'],
  file: ['File', 'Datei'],
  drop: ['Drop files here, paste them, or', 'Dateien hierher ziehen, einfügen oder'],
  dropOne: ['Drop a file here, paste it, or', 'Eine Datei hierher ziehen, einfügen oder'],
  uploading: ['Uploading…', 'Wird hochgeladen …'],
  earlier: ['Move {name} forward', '{name} nach vorn'],
  later: ['Move {name} back', '{name} nach hinten'],
  tooMany: ['At most {count|# file|# files}.', 'Höchstens {count|# Datei|# Dateien}.'],
  picture: ['Picture {at}', 'Bild {at}'],
} as const;
