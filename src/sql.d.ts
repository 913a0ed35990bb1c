/** Queries in files of their own. */
declare module '*.sql' {
  const text: string;
  export default text;
}
