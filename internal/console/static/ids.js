// Ids, and the moments at which they were made.

/** When ids begin, in milliseconds. */
const epoch = 1420070400000n;

/** newID returns an id for a record that is made now. */
export const newID = () => String((BigInt(Date.now()) - epoch) << 22n);

/**
 * createdAt returns the moment at which an id was made.
 * @param {string} id
 */
export const createdAt = (id) => new Date(Number((BigInt(id) >> 22n) + epoch));
