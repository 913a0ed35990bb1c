export const files = {
  count: (count: number) => (count === 1 ? '1 file' : `${count} files`),
  file: 'File',
  drop: 'Drop files here, paste them, or',
  dropOne: 'Drop a file here, paste it, or',
  uploading: 'Uploading…',
  earlier: (name: string) => `Move ${name} forward`,
  later: (name: string) => `Move ${name} back`,
  tooMany: (count: number) => `At most ${count} files.`,
  picture: (at: number) => `Picture ${at}`,
} as const;
