-- The emojis of guilds and applications.

-- +goose Up

-- guild_id or application_id is 0.
CREATE TABLE emojis (
    id             BIGINT PRIMARY KEY,
    guild_id       BIGINT NOT NULL,
    application_id BIGINT NOT NULL,
    doc            BYTEA  NOT NULL,
    checksum       BIGINT NOT NULL
);
CREATE INDEX emojis_guild ON emojis (guild_id);
CREATE INDEX emojis_application ON emojis (application_id, id);
