import { counted } from '../numbers.ts';

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

export const files = {
  count: (count: number) => counted(count, 'Datei', 'Dateien'),
  file: 'Datei',
  drop: 'Dateien hierher ziehen, einfügen oder',
  dropOne: 'Eine Datei hierher ziehen, einfügen oder',
  uploading: 'Wird hochgeladen …',
  earlier: (name: string) => `${name} nach vorn`,
  later: (name: string) => `${name} nach hinten`,
  tooMany: (count: number) => `Höchstens ${counted(count, 'Datei', 'Dateien')}.`,
  picture: (at: number) => `Bild ${at}`,
} as const;
