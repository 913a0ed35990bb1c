/** A bar of a chart: label, value, and the filters that list its rows. */
import type { Chip } from '../shared/api/query.ts';

export interface Bar {
  readonly label: string;
  readonly value: number;
  readonly where: readonly Chip[];
}
