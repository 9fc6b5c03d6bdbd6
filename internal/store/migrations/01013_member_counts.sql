-- How many members each guild has.

-- +goose Up

-- The number of members of a guild is the sum of its rows. Concurrent writers use different slots, so that they do not wait for
-- each other. Triggers count, so nodes of the version before count too.
CREATE TABLE member_counts (
    guild_id BIGINT NOT NULL,
    slot     BIGINT NOT NULL,
    members  BIGINT NOT NULL,
    PRIMARY KEY (guild_id, slot)
) /* often changed */;

/* triggers that count members */

-- With PostgreSQL the trigger has locked the members, so none is missed.
INSERT INTO member_counts SELECT guild_id, 0, COUNT(*) FROM members GROUP BY guild_id;
