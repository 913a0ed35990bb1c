/** The format of a picture as a sequence of units, such as the segments of JPEG or the chunks of PNG. */

/** The treatment of the next bytes. A length may be infinite: up to the end. */
export type Step =
  | { readonly kind: 'copy' | 'skip' | 'zero'; readonly length: number }
  | { readonly kind: 'replace'; readonly length: number; readonly by: (unit: Buffer) => Uint8Array };

export interface Container {
  /** The next step for bytes at the start of a unit; undefined if more of them must arrive first. */
  next(bytes: Buffer): Step | undefined;
}

/** A longer unit is not collected. Exif metadata of JPEG is shorter. */
export const MAX_COLLECTED_BYTES = 64 * 1024;

export const NOTHING: Buffer = Buffer.alloc(0);
export const SKIP_REST: Step = { kind: 'skip', length: Number.POSITIVE_INFINITY };
