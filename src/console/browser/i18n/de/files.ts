import { counted } from '../numbers.ts';

export const files = {
  count: (count: number) => counted(count, 'Datei', 'Dateien'),
  file: 'Datei',
  drop: 'Dateien hierher ziehen, einfügen oder',
  dropOne: 'Eine Datei hierher ziehen, einfügen oder',
  uploading: 'Wird hochgeladen …',
  earlier: (name: string) => `${name} nach vorn`,
  later: (name: string) => `${name} nach hinten`,
  tooMany: (count: number) => `Höchstens ${count} Dateien.`,
  picture: (at: number) => `Bild ${at}`,
} as const;
