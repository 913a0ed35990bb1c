/** What stands before every path of the service, found from the address of this page: a proxy may have put something there. */
export const base = location.pathname.replace(/\/console\/?$/, '');
