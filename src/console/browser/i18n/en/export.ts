import { counted } from '../numbers.ts';

export const exporting = {
  open: 'Export',
  openSelected: (count: string) => `Export ${count} selected`,
  formats: { xlsx: 'Excel (.xlsx)', csv: 'CSV', json: 'JSON' },
  running: (count: string) => `Exporting… ${count}`,
  stop: 'Stop the export',
  done: (count: number) => `${counted(count, 'row')} exported.`,
  tooManyRows: 'A worksheet has at most 1,048,576 rows. Export as CSV, or add a filter.',
} as const;
