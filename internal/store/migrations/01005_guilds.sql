-- What bots and people do in guilds: the audit log of each guild.

-- +goose Up

-- Who did what in which guild. user_id and target_id are 0 for none.
CREATE TABLE guild_audit (
    guild_id  BIGINT NOT NULL,
    id        BIGINT NOT NULL,
    user_id   BIGINT NOT NULL,
    action    BIGINT NOT NULL,
    target_id BIGINT NOT NULL,
    doc       BYTEA  NOT NULL,
    checksum  BIGINT NOT NULL,
    PRIMARY KEY (guild_id, id)
);
CREATE INDEX guild_audit_id ON guild_audit (id);
CREATE INDEX guild_audit_user ON guild_audit (guild_id, user_id, id);
CREATE INDEX guild_audit_action ON guild_audit (guild_id, action, id);
