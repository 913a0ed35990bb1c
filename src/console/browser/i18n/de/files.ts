export const files = {
  count: (count: number) => (count === 1 ? '1 Datei' : `${count} Dateien`),
  file: 'Datei',
  open: (name: string) => `${name} öffnen`,
  drop: 'Dateien hierher ziehen, einfügen oder',
  dropOne: 'Eine Datei hierher ziehen, einfügen oder',
  uploading: 'Wird hochgeladen …',
  remove: (name: string) => `${name} entfernen`,
  earlier: (name: string) => `${name} nach vorn`,
  later: (name: string) => `${name} nach hinten`,
  tooMany: (count: number) => `Höchstens ${count} Dateien.`,
  picture: (at: number) => `Bild ${at}`,
} as const;
