import { counted } from '../numbers.ts';

export const exporting = {
  open: 'Exportieren',
  openSelected: (count: string) => `${count} ausgewählte exportieren`,
  formats: { xlsx: 'Excel (.xlsx)', csv: 'CSV', json: 'JSON' },
  running: (count: string) => `Export läuft… ${count}`,
  stop: 'Export anhalten',
  done: (count: number) => `${counted(count, 'Zeile', 'Zeilen')} exportiert.`,
  tooManyRows: 'Ein Tabellenblatt hat höchstens 1.048.576 Zeilen. Exportieren Sie als CSV, oder filtern Sie.',
} as const;
