/**
 * Splits a job with many rows for transfer to the writer thread: copying takes time, and other requests are served in
 * between.
 */
import { ROWS_PER_SLICE } from '../../../base/cooperative.ts';
import type { Job, Step } from './jobs.ts';

/** Rows to insert, or changes of one row each, of one step of a job. */
export interface JobPart {
  readonly step: number;
  readonly list: readonly unknown[];
}

/** The parts of a long job and the rest without them; undefined for a short job. */
export function splitJob(job: Job): { readonly parts: readonly JobPart[]; readonly rest: Job } | undefined {
  const parts: JobPart[] = [];
  const steps = job.steps.map((each, step) => {
    const list = listOf(each);
    if (list.length <= ROWS_PER_SLICE) return each;
    for (let from = 0; from < list.length; from += ROWS_PER_SLICE) {
      parts.push({ step, list: list.slice(from, from + ROWS_PER_SLICE) });
    }
    return withList(each, []);
  });
  return parts.length === 0 ? undefined : { parts, rest: { ...job, steps } };
}

/** Adds the parts to the steps that they were taken from. */
export function joinParts(job: Job, parts: readonly JobPart[]): Job {
  const steps = job.steps.map((each, step) => {
    const own = parts.filter((part) => part.step === step);
    return own.length === 0
      ? each
      : withList(
          each,
          own.flatMap(({ list }) => list),
        );
  });
  return { ...job, steps };
}

/** The number of rows that a job names; a change by a filter counts as one. */
export function rowsIn({ steps }: Job): number {
  return steps.reduce((rows, step) => rows + Math.max(1, listOf(step).length), 0);
}

function listOf(step: Step): readonly unknown[] {
  if (step.kind === 'insert') return step.rows;
  return step.kind === 'change-each' ? step.changes : [];
}

function withList(step: Step, list: readonly unknown[]): Step {
  if (step.kind === 'insert') return { ...step, rows: list as typeof step.rows };
  return step.kind === 'change-each' ? { ...step, changes: list as typeof step.changes } : step;
}
