/** Reports an event to the log. */
export type Notice = (level: 'info' | 'warn', message: string) => void;
