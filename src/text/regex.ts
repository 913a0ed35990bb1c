/**
 * PostgreSQL's `~` and `~*`: advanced regular expressions, run by RE2 in linear time, so that no pattern can block the
 * service. Features that RE2 cannot run in linear time (back-references, look-around) are rejected.
 */
import type { RE2JS } from 're2js';
import { ApiError } from '../base/errors.ts';
import { MAX_PATTERN_LENGTH } from '../base/limits/engine.ts';
import { type Options, readOptions } from './regex/options.ts';
import { tooComplex, Unsupported } from './regex/problems.ts';
import { type Translated, translate } from './regex/translate.ts';
import { Scanner } from './scanner.ts';

/** Loaded on first use: most processes need no regular expressions, and loading takes half of the start time. */
function re2(): typeof RE2JS {
  return (require('re2js') as typeof import('re2js')).RE2JS;
}

/** Compiled instructions. Matching costs text length times this at worst, so it is bounded. */
const MAX_PROGRAM_SIZE = 20_000;

/** A running match cannot be interrupted, so one that would take more than about a second is not started. */
const MAX_STEPS = 100_000_000;
/** A larger program has too many states to keep them all, and each step takes several times as long. */
const LARGE_PROGRAM = 128;
const LARGE_PROGRAM_STEP = 5;

function tooLong(): ApiError {
  return new ApiError('57014', 'canceling statement due to statement timeout', {
    details: 'The regular expression would take too long on one of the texts.',
    hint: 'Write smaller bounds than in {200}, or filter by another field first.',
  });
}

/** A compiled expression, and its number of instructions. */
interface Program {
  readonly test: (text: string) => boolean;
  readonly size: number;
  /** Estimates the most steps that a text of this length takes. */
  readonly steps: (length: number) => number;
}

export function compileRegex(pattern: string, caseless: boolean): Program {
  const { source, options } = read(pattern, caseless);
  const { CASE_INSENSITIVE, LOOKBEHINDS } = re2();
  const flags = (options.caseless ? CASE_INSENSITIVE : 0) | (source.includes('(?<') ? LOOKBEHINDS : 0);
  const program = compile(source, flags);
  const size = program.programSize();
  const steps = (length: number) => size * length * (size > LARGE_PROGRAM ? LARGE_PROGRAM_STEP : 1);
  const test = (text: string) => {
    if (steps(text.length) > MAX_STEPS) throw tooLong();
    return program.test(text);
  };
  return { test, size, steps };
}

/** Estimates the number of instructions without compiling, and rejects a pattern that cannot be compiled. */
export function sizeOfRegex(pattern: string, caseless: boolean): number {
  return read(pattern, caseless).size;
}

function read(pattern: string, caseless: boolean): Translated & { readonly options: Options } {
  checkPatternLength(pattern);
  const reading = new Scanner(pattern);
  const options = readOptions(reading, caseless);
  if (!options.literal) return { ...translate(reading, options, MAX_PROGRAM_SIZE), options };
  const literal = reading.text.slice(reading.position);
  if (literal.length > MAX_PROGRAM_SIZE) throw tooComplex();
  return { source: re2().quote(literal), size: literal.length, options };
}

/** Checked before parsing, which takes a quarter of a second for 256 KB. */
function checkPatternLength(pattern: string): void {
  if (pattern.length > MAX_PATTERN_LENGTH) throw tooComplex(`Write at most ${MAX_PATTERN_LENGTH} characters.`);
}

/** Rejects an invalid pattern, for an engine that can run all valid ones. */
export function checkRegex(pattern: string): void {
  checkPatternLength(pattern);
  const reading = new Scanner(pattern);
  try {
    const options = readOptions(reading, false);
    if (!options.literal) translate(reading, options);
  } catch (problem) {
    if (!(problem instanceof Unsupported)) throw problem;
  }
}

function compile(source: string, flags: number): RE2JS {
  try {
    const program = re2().compile(source, flags);
    if (program.programSize() > MAX_PROGRAM_SIZE) throw tooComplex();
    return program;
  } catch (problem) {
    if (problem instanceof ApiError) throw problem;
    // The translation is valid syntax, so RE2 rejects its size: nested bounds over 1000, or the nesting depth.
    throw tooComplex();
  }
}
