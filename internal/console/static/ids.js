// Ids of new records.

/** newID returns an id for a record that is made now. */
export const newID = () => String((BigInt(Date.now()) - 1420070400000n) << 22n);
