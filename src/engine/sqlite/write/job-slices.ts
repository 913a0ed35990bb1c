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
  const list: JobPart = job.kind === 'insert' ? job.rows : job.kind === 'change-each' ? job.changes : [];
  if (list.length <= ROWS_PER_SLICE) return undefined;
  const parts: JobPart[] = [];
  for (let from = 0; from < list.length; from += ROWS_PER_SLICE) parts.push(list.slice(from, from + ROWS_PER_SLICE));
  return { parts, rest: joinParts(job, []) };
}

/** Replaces the list of a job by these parts. */
export function joinParts(job: Job, parts: readonly JobPart[]): Job {
  const list = parts.flat();
  if (job.kind === 'insert') return { ...job, rows: list as typeof job.rows };
  return job.kind === 'change-each' ? { ...job, changes: list as typeof job.changes } : job;
}
