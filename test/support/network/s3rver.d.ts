/** The package has no types. */
declare module '@20minutes/s3rver' {
  export default class S3rver {
    constructor(options: Readonly<Record<string, unknown>>);
    run(): Promise<{ readonly port: number }>;
    close(): Promise<void>;
    readonly httpServer: { closeAllConnections(): void };
  }
}
