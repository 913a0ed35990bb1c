/** The prefix of every path of the service, from the address of this page. A proxy may add one. */
export const base = location.pathname.replace(/\/console\/?$/, '');
