/** The advisory lock numbers of the service, in one place so that no two uses share one. They begin with "PCat". */
export const ADVISORY_LOCKS = {
  migration: 0x50436174,
  /** Held while a sequence moves: of two that move it at once, neither moves it back. */
  sequence: 0x50436175,
  lateIndexes: 0x50436176,
  ownTables: 0x50436177,
} as const;
