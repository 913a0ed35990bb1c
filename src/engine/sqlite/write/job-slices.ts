/**
 * Splits a job with many rows for transfer to the writer thread: copying takes time, and other requests are served in
 * between.
 */
import { ROWS_A_PIECE } from '../../../base/cooperative.ts';
import type { Job } from './jobs.ts';

/** Rows to insert, or changes of one row each. */
export type Part = readonly unknown[];

/** The parts of a long job and the rest without them; undefined for a short job. */
export function divided(job: Job): { readonly parts: readonly Part[]; readonly rest: Job } | undefined {
  const list = listOf(job);
  if (list.length <= ROWS_A_PIECE) return undefined;
  const parts = Array.from({ length: Math.ceil(list.length / ROWS_A_PIECE) }, (_, index) =>
    list.slice(index * ROWS_A_PIECE, (index + 1) * ROWS_A_PIECE),
  );
  return { parts, rest: withList(job, []) };
}

export function joined(rest: Job, parts: readonly Part[]): Job {
  return withList(rest, parts.flat());
}

function listOf(job: Job): Part {
  switch (job.kind) {
    case 'insert':
      return job.rows;
    case 'change-each':
      return job.changes;
    case 'change':
      return [];
  }
}

function withList(job: Job, list: Part): Job {
  switch (job.kind) {
    case 'insert':
      return { ...job, rows: list as typeof job.rows };
    case 'change-each':
      return { ...job, changes: list as typeof job.changes };
    case 'change':
      return job;
  }
}
