-- One schema for every engine. An engine reads its own words for four phrases: BIGINT PRIMARY KEY, BYTEA, and the
-- comments behind a table: "by key" asks for rows that lie in the order of the primary key, "often changed" for room
-- beside the rows.
--
-- Ids are snowflakes, 0 where there is none. Times are microseconds since 1970 in UTC. A doc is the whole record as JSON;
-- the columns beside it are the ones that are looked up.

-- +goose Up

-- What is kept of a scope. guild_id is 0 for an application's global commands.
CREATE TABLE scopes (
    application_id BIGINT NOT NULL,
    guild_id       BIGINT NOT NULL,
    revision       BIGINT NOT NULL,
    quota_since    BIGINT NOT NULL,
    quota_used     BIGINT NOT NULL,
    PRIMARY KEY (application_id, guild_id)
) /* by key */ /* often changed */;
CREATE INDEX scopes_guild ON scopes (guild_id);

CREATE TABLE commands (
    id             BIGINT PRIMARY KEY,
    application_id BIGINT NOT NULL,
    guild_id       BIGINT NOT NULL,
    type           BIGINT NOT NULL,
    name           TEXT   NOT NULL,
    version        BIGINT NOT NULL,
    doc            BYTEA
) /* often changed */;
-- Keeps names unique and finds the commands of a scope.
CREATE UNIQUE INDEX commands_name ON commands (application_id, guild_id, type, name);

-- Permission sets: id names a command, or the application for all of its commands without a set.
CREATE TABLE overwrites (
    application_id BIGINT NOT NULL,
    guild_id       BIGINT NOT NULL,
    id             BIGINT NOT NULL,
    doc            BYTEA  NOT NULL,
    PRIMARY KEY (application_id, guild_id, id)
) /* by key */;
CREATE INDEX overwrites_id ON overwrites (id);
CREATE INDEX overwrites_guild ON overwrites (guild_id);

CREATE TABLE users (
    id  BIGINT PRIMARY KEY,
    doc BYTEA NOT NULL
);

CREATE TABLE applications (
    id  BIGINT PRIMARY KEY,
    doc BYTEA NOT NULL
);

CREATE TABLE guilds (
    id  BIGINT PRIMARY KEY,
    doc BYTEA NOT NULL
);

CREATE TABLE roles (
    guild_id BIGINT NOT NULL,
    id       BIGINT NOT NULL,
    doc      BYTEA  NOT NULL,
    PRIMARY KEY (guild_id, id)
) /* by key */;

-- recipients holds the users of a direct-message channel, ascending with commas between; NULL in channels of guilds.
CREATE TABLE channels (
    id         BIGINT PRIMARY KEY,
    guild_id   BIGINT NOT NULL,
    recipients TEXT,
    doc        BYTEA  NOT NULL
);
CREATE INDEX channels_guild ON channels (guild_id, id);
CREATE INDEX channels_recipients ON channels (recipients) WHERE recipients IS NOT NULL;

-- Who is in a direct-message channel.
CREATE TABLE recipients (
    channel_id BIGINT NOT NULL,
    user_id    BIGINT NOT NULL,
    PRIMARY KEY (channel_id, user_id)
) /* by key */;
CREATE INDEX recipients_user ON recipients (user_id, channel_id);

CREATE TABLE members (
    guild_id BIGINT NOT NULL,
    user_id  BIGINT NOT NULL,
    doc      BYTEA  NOT NULL,
    PRIMARY KEY (guild_id, user_id)
) /* by key */;
CREATE INDEX members_user ON members (user_id, guild_id);

-- Which members mention a role, so that a role can go without a look at every member.
CREATE TABLE member_roles (
    guild_id BIGINT NOT NULL,
    user_id  BIGINT NOT NULL,
    role_id  BIGINT NOT NULL,
    PRIMARY KEY (guild_id, user_id, role_id)
) /* by key */;
CREATE INDEX member_roles_role ON member_roles (guild_id, role_id, user_id);

-- Exactly one of guild_id and user_id is set.
CREATE TABLE installs (
    guild_id       BIGINT NOT NULL,
    user_id        BIGINT NOT NULL,
    application_id BIGINT NOT NULL,
    doc            BYTEA  NOT NULL,
    PRIMARY KEY (guild_id, user_id, application_id)
) /* by key */;
CREATE INDEX installs_application ON installs (application_id, guild_id);

-- Tokens by their hashes. expires is NULL for those that stay.
CREATE TABLE credentials (
    hash           BYTEA  NOT NULL PRIMARY KEY,
    kind           BIGINT NOT NULL,
    application_id BIGINT NOT NULL,
    user_id        BIGINT NOT NULL,
    expires        BIGINT,
    doc            BYTEA  NOT NULL
) /* by key */;
CREATE INDEX credentials_application ON credentials (application_id, user_id, kind);
CREATE INDEX credentials_user ON credentials (user_id);
CREATE INDEX credentials_expires ON credentials (expires) WHERE expires IS NOT NULL;

-- Node numbers that were ever leased, from 0 without gaps.
CREATE TABLE nodes (
    number  BIGINT PRIMARY KEY,
    holder  TEXT   NOT NULL,
    until   BIGINT NOT NULL,
    ceiling BIGINT NOT NULL
);
