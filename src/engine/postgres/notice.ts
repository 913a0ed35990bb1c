/** What those who run the service are told. */
export type Notice = (level: 'info' | 'warn', message: string) => void;
