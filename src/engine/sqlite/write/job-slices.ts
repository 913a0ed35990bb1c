/**
 * Splits a job with many rows for transfer to the writer thread: copying takes time, and other requests are served in
 * between.
 */
import { ROWS_PER_SLICE } from '../../../base/cooperative.ts';
import type { Job } from './jobs.ts';

/** Rows to insert, or changes of one row each. */
export type JobPart = readonly unknown[];

/** The parts of a long job and the rest without them; undefined for a short job. */
export function splitJob(job: Job): { readonly parts: readonly JobPart[]; readonly rest: Job } | undefined {
  const list = listOf(job);
  if (list.length <= ROWS_PER_SLICE) return undefined;
  const parts = Array.from({ length: Math.ceil(list.length / ROWS_PER_SLICE) }, (_, index) =>
    list.slice(index * ROWS_PER_SLICE, (index + 1) * ROWS_PER_SLICE),
  );
  return { parts, rest: withList(job, []) };
}

export function joinResults(rest: Job, parts: readonly JobPart[]): Job {
  return withList(rest, parts.flat());
}

function listOf(job: Job): JobPart {
  switch (job.kind) {
    case 'insert':
      return job.rows;
    case 'change-each':
      return job.changes;
    case 'change':
      return [];
  }
}

function withList(job: Job, list: JobPart): Job {
  switch (job.kind) {
    case 'insert':
      return { ...job, rows: list as typeof job.rows };
    case 'change-each':
      return { ...job, changes: list as typeof job.changes };
    case 'change':
      return job;
  }
}
