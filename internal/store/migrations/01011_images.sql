-- The images of users, bots, members, guilds, roles, webhooks, applications and emojis.

-- +goose Up

-- place is the path of an image without its hash, such as avatars/12. attachment_id is its file, guild_id the guild of the
-- record that shows it (0: none).
CREATE TABLE images (
    place         TEXT   NOT NULL,
    hash          TEXT   NOT NULL,
    attachment_id BIGINT NOT NULL,
    guild_id      BIGINT NOT NULL,
    content_type  TEXT   NOT NULL,
    checksum      BIGINT NOT NULL,
    PRIMARY KEY (place, hash)
) /* by key */;
CREATE INDEX images_attachment ON images (attachment_id);
