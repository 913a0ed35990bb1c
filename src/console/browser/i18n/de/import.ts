import { counted, formatNumber } from '../numbers.ts';

const rows = (count: number) => counted(count, 'Zeile', 'Zeilen');

export const importing = {
  title: (collection: string) => `Import in ${collection}`,
  open: 'Importieren',
  dropHere:
    'Legen Sie hier eine Datei ab: CSV, Excel (.xlsx), JSON oder NDJSON. Sie wird zuerst geprüft; gespeichert wird erst, wenn Sie es bestätigen.',
  chooseFile: 'Datei auswählen',
  summary: (name: string, count: number, bad: number) =>
    `${name}: ${rows(count)}, ${bad === 0 ? 'alle gültig' : `${formatNumber(bad)} mit Fehlern`}.`,
  notYet: 'Noch ist nichts gespeichert.',
  nothing: 'Nichts zu importieren',
  send: (count: number, isPart: boolean) =>
    isPart ? `${counted(count, 'gültige Zeile', 'gültige Zeilen')} importieren` : `${rows(count)} importieren`,
  downloadInvalid: (count: number) => `${counted(count, 'ungültige Zeile', 'ungültige Zeilen')} herunterladen`,
  decideFirst: 'Wählen Sie zuerst, was mit vorhandenen Zeilen geschieht.',
  problem: 'Fehler',
  matchBy: 'Gespeicherte Zeilen erkennen an',
  matchNothing: 'Nichts (jede Zeile ist neu)',
  exist: (count: number) =>
    `${counted(count, 'Zeile der Datei ist', 'Zeilen der Datei sind')} schon vorhanden. Was soll geschehen?`,
  existAndDiffer: (count: number, differing: number) =>
    `${counted(count, 'Zeile der Datei ist', 'Zeilen der Datei sind')} schon vorhanden, ${formatNumber(differing)} davon mit anderen Werten. Was soll geschehen?`,
  decisions: {
    leave: 'Die gespeicherten Werte behalten',
    change: 'Durch die Werte der Datei ersetzen',
    add: 'Als neue Zeilen hinzufügen',
  },
  clearsEmpty: (count: number) => `Leere Zellen löschen den gespeicherten Wert (${counted(count, 'Zelle', 'Zellen')})`,
  createReferences: (names: string) => `Zeilen anlegen, die es noch nicht gibt (${names})`,
  more: (count: number) => ` und ${formatNumber(count)} weitere`,
  shownRows: 'Angezeigte Zeilen',
  preview: 'Vorschau der Datei',
  outcome: 'Was geschieht',
  kinds: {
    all: 'Alle',
    bad: 'Ungültig',
    new: 'Neu',
    change: 'Änderungen',
    exists: 'Vorhanden',
    same: 'Unverändert',
    left: 'Behalten',
  },
  page: (page: string, last: string) => `Seite ${page} von ${last}`,
  previousPage: 'Vorherige Seite',
  nextPage: 'Nächste Seite',
  fieldOf: (column: string) => `Feld der Spalte ${column}`,
  formatOf: (column: string) => `Format der Spalte ${column}`,
  formats: {
    point: '1,234.50',
    comma: '1.234,50',
    dayFirst: 'Tag, Monat, Jahr',
    monthFirst: 'Monat, Tag, Jahr',
  },
  sheet: 'Blatt',
  noField: 'Keine Spalte der Datei ist ein Feld. Wählen Sie über der Vorschau das Feld jeder Spalte.',
  leftOut: (columns: string) => `Spalten, die weggelassen werden: ${columns}.`,
  leaveOut: 'Weglassen',
  cellOf: (field: string, line: number) => `${field} in Zeile ${line}`,
  progress: {
    checking: (done: number, total: number) => `${formatNumber(done)} von ${rows(total)} geprüft`,
    storing: (done: number, total: number) => `${formatNumber(done)} von ${rows(total)} importiert`,
    undoing: (done: number, total: number) => `${formatNumber(done)} von ${rows(total)} zurückgenommen`,
  },
  steps: { checking: 'Prüfung', storing: 'Import', undoing: 'Rücknahme' },
  stored: {
    created: (count: number) => `${rows(count)} gespeichert`,
    changed: (count: number) => `${rows(count)} geändert`,
    references: (count: number) => `${counted(count, 'verknüpfte Zeile', 'verknüpfte Zeilen')} angelegt`,
    left: (count: number) => `${rows(count)} behalten`,
    same: (count: number) => `${rows(count)} unverändert`,
  },
  nothingStored: 'Nichts wurde gespeichert',
  show: (collection: string) => `${collection} anzeigen`,
  notStored: (count: number, reason: string) => `${rows(count)} nicht gespeichert: ${reason}`,
  undone: (count: number, kept: number) =>
    `${rows(count)} zurückgenommen.${kept === 0 ? '' : ` ${rows(kept)} behalten, weil eine andere Person sie geändert oder gelöscht hat.`}`,
  brokenLine: (problem: string) => `Die Zeile ist fehlerhaft: ${problem}.`,
  ambiguous: (count: number) => `${rows(count)} der Sammlung passen. Wählen Sie eine andere Spalte zum Erkennen.`,
  ambiguousName: (name: string, count: number) => `${rows(count)} heißen „${name}“. Verwenden Sie den Schlüssel.`,
  unknownName: (name: string, collection: string) => `„${name}“ gibt es nicht in ${collection}.`,
  sameStoredRow: (line: number) => `Zeile ${line} ändert dieselbe gespeicherte Zeile.`,
  repeated: (line: number, label: string) => `Zeile ${line} hat denselben Wert in ${label}.`,
  noSuchRow: (label: string, value: string, needed: string) =>
    `Keine Zeile hat ${label} ${value}, und eine neue Zeile braucht ${needed}.`,
  mayNotCreate: (label: string, value: string) =>
    `Keine Zeile hat ${label} ${value}, und Sie dürfen keine Zeilen anlegen.`,
  mayNotChange: (label: string) => `Sie dürfen ${label} nicht ändern.`,
  changedByOthers: 'Eine andere Person hat sie geändert.',
  deletedByOthers: 'Eine andere Person hat sie gelöscht.',
  tooLarge: (name: string, megabytes: number) =>
    `${name} hat mehr als ${megabytes} MB. Importieren Sie die Datei auf dem Server: catalogue import DATEI.`,
  emptyFile: (name: string) => `${name} ist leer.`,
  noRows: (name: string) => `${name} hat keine Zeilen.`,
  oldExcel: (name: string) =>
    `${name} hat ein altes Excel-Format. Speichern Sie die Datei als .xlsx oder CSV und importieren Sie sie noch einmal.`,
  unnamedColumn: (position: number) => `Spalte ${position}`,
  blankLines: (count: number) => `${counted(count, 'Zeile', 'Zeilen')} ohne Werte übersprungen.`,
  windows1252: 'Die Datei ist nicht UTF-8 und wurde als Windows-1252 gelesen. Prüfen Sie Buchstaben wie ä und é.',
  unreadable: (name: string, problem: string) => `${name} kann nicht gelesen werden: ${problem}.`,
  badWorkbook: (name: string, problem: string) => `${name} kann nicht als Arbeitsmappe gelesen werden: ${problem}.`,
} as const;

export const exporting = {
  open: 'Exportieren',
  openSelected: (count: string) => `${count} ausgewählte exportieren`,
  formats: { xlsx: 'Excel (.xlsx)', csv: 'CSV', json: 'JSON' },
  running: (count: string) => `Export läuft… ${count}`,
  stop: 'Export anhalten',
  done: (count: number) => `${counted(count, 'Zeile', 'Zeilen')} exportiert.`,
  tooManyRows: 'Ein Tabellenblatt hat höchstens 1.048.576 Zeilen. Exportieren Sie als CSV, oder filtern Sie.',
} as const;
