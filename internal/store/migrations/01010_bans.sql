-- The bans of guilds.

-- +goose Up

CREATE TABLE bans (
    guild_id BIGINT NOT NULL,
    user_id  BIGINT NOT NULL,
    doc      BYTEA  NOT NULL,
    checksum BIGINT NOT NULL,
    PRIMARY KEY (guild_id, user_id)
);
CREATE INDEX bans_user ON bans (user_id, guild_id);
