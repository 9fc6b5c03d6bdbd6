// The URL of the service, which may be below a path of its host.

/** The URL, without a slash at its end. This file is in the folder assets/ of the service. */
const base = new URL('..', import.meta.url).href.slice(0, -1);

/**
 * serviceURL returns the URL of a path of the service.
 * @param {string} path
 */
export const serviceURL = (path) => base + path;
