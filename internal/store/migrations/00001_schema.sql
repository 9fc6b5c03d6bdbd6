-- One schema for all engines. Each engine replaces BIGINT PRIMARY KEY, BYTEA, TEXT and the comments after a table where its
-- SQL differs. The comment "by key" asks for rows in the order of the primary key. The comment "often changed" asks for free
-- space on each page.
--
-- Ids are snowflakes; 0 means none. Times are microseconds since 1970 in UTC. A doc is the whole record as JSON; the other
-- columns are those that queries use. A checksum covers the other columns of its row: see checksum.go.

-- +goose Up

-- The revision of every subject. kind is store.Kind; a and b are ids, or the first 16 bytes of a hash.
CREATE TABLE subjects (
    kind     BIGINT NOT NULL,
    a        BIGINT NOT NULL,
    b        BIGINT NOT NULL,
    revision BIGINT NOT NULL,
    PRIMARY KEY (kind, a, b)
) /* by key */ /* often changed */;

-- Events that were recorded with a change, for nodes that share the database. doc holds the events of one subject at one
-- revision; after is the revision before it. created and published are times; published is NULL until the events are in Redis.
CREATE TABLE events (
    kind      BIGINT NOT NULL,
    a         BIGINT NOT NULL,
    b         BIGINT NOT NULL,
    revision  BIGINT NOT NULL,
    after     BIGINT NOT NULL,
    created   BIGINT NOT NULL,
    published BIGINT,
    doc       BYTEA  NOT NULL,
    PRIMARY KEY (kind, a, b, revision)
) /* by key */ /* often changed */;
CREATE INDEX events_unpublished ON events (created) WHERE published IS NULL;
CREATE INDEX events_created ON events (created);

-- Deletions whose dependent rows are still being removed. guild_id is that of a role or a channel, 0 otherwise.
CREATE TABLE tombstones (
    kind     BIGINT NOT NULL,
    id       BIGINT NOT NULL,
    guild_id BIGINT NOT NULL,
    checksum BIGINT NOT NULL,
    PRIMARY KEY (kind, id, guild_id)
) /* by key */;

-- The number of commands that were created in a scope in the current day. guild_id is 0 for an application's global commands.
CREATE TABLE scopes (
    application_id BIGINT NOT NULL,
    guild_id       BIGINT NOT NULL,
    quota_since    BIGINT NOT NULL,
    quota_used     BIGINT NOT NULL,
    checksum       BIGINT NOT NULL,
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
    doc            BYTEA  NOT NULL,
    closed         BIGINT NOT NULL, -- 1: default_member_permissions is "0" only because default_permission is false
    checksum       BIGINT NOT NULL
) /* often changed */;
CREATE INDEX commands_scope ON commands (application_id, guild_id);

-- Permission sets. id is a command, or the application for all of its commands that have no set.
CREATE TABLE overwrites (
    application_id BIGINT NOT NULL,
    guild_id       BIGINT NOT NULL,
    id             BIGINT NOT NULL,
    doc            BYTEA  NOT NULL,
    checksum       BIGINT NOT NULL,
    PRIMARY KEY (application_id, guild_id, id)
) /* by key */;
CREATE INDEX overwrites_id ON overwrites (id);
CREATE INDEX overwrites_guild ON overwrites (guild_id);

CREATE TABLE users (
    id       BIGINT PRIMARY KEY,
    doc      BYTEA  NOT NULL,
    checksum BIGINT NOT NULL
);

CREATE TABLE applications (
    id       BIGINT PRIMARY KEY,
    doc      BYTEA  NOT NULL,
    checksum BIGINT NOT NULL
);

CREATE TABLE guilds (
    id       BIGINT PRIMARY KEY,
    doc      BYTEA  NOT NULL,
    checksum BIGINT NOT NULL
);

CREATE TABLE roles (
    guild_id BIGINT NOT NULL,
    id       BIGINT NOT NULL,
    doc      BYTEA  NOT NULL,
    checksum BIGINT NOT NULL,
    PRIMARY KEY (guild_id, id)
) /* by key */;

-- recipients holds the users of a direct-message channel, ascending and separated by commas. It is NULL in channels of guilds.
CREATE TABLE channels (
    id         BIGINT PRIMARY KEY,
    guild_id   BIGINT NOT NULL,
    recipients TEXT,
    doc        BYTEA  NOT NULL,
    checksum   BIGINT NOT NULL
);
CREATE INDEX channels_guild ON channels (guild_id, id);
CREATE INDEX channels_recipients ON channels (recipients) WHERE recipients IS NOT NULL;

-- The users of each direct-message channel.
CREATE TABLE recipients (
    channel_id BIGINT NOT NULL,
    user_id    BIGINT NOT NULL,
    checksum   BIGINT NOT NULL,
    PRIMARY KEY (channel_id, user_id)
) /* by key */;
CREATE INDEX recipients_user ON recipients (user_id, channel_id);

CREATE TABLE members (
    guild_id BIGINT NOT NULL,
    user_id  BIGINT NOT NULL,
    doc      BYTEA  NOT NULL,
    checksum BIGINT NOT NULL,
    PRIMARY KEY (guild_id, user_id)
) /* by key */;
CREATE INDEX members_user ON members (user_id, guild_id);

-- The roles of each member.
CREATE TABLE member_roles (
    guild_id BIGINT NOT NULL,
    user_id  BIGINT NOT NULL,
    role_id  BIGINT NOT NULL,
    checksum BIGINT NOT NULL,
    PRIMARY KEY (guild_id, user_id, role_id)
) /* by key */;
CREATE INDEX member_roles_role ON member_roles (guild_id, role_id, user_id);

-- Exactly one of guild_id and user_id is set.
CREATE TABLE installs (
    guild_id       BIGINT NOT NULL,
    user_id        BIGINT NOT NULL,
    application_id BIGINT NOT NULL,
    doc            BYTEA  NOT NULL,
    checksum       BIGINT NOT NULL,
    PRIMARY KEY (guild_id, user_id, application_id)
) /* by key */;
CREATE INDEX installs_application ON installs (application_id, guild_id);

-- Tokens by their hashes. expires is NULL for tokens that do not expire.
CREATE TABLE credentials (
    hash           BYTEA  NOT NULL PRIMARY KEY,
    kind           BIGINT NOT NULL,
    application_id BIGINT NOT NULL,
    user_id        BIGINT NOT NULL,
    expires        BIGINT,
    doc            BYTEA  NOT NULL,
    checksum       BIGINT NOT NULL
) /* by key */;
CREATE INDEX credentials_application ON credentials (application_id, user_id, kind);
CREATE INDEX credentials_user ON credentials (user_id);
CREATE INDEX credentials_expires ON credentials (expires) WHERE expires IS NOT NULL;

-- Node numbers that were ever leased, from 0 without gaps.
CREATE TABLE nodes (
    number   BIGINT PRIMARY KEY,
    holder   TEXT   NOT NULL,
    until    BIGINT NOT NULL,
    ceiling  BIGINT NOT NULL,
    checksum BIGINT NOT NULL
);

-- The nodes that have gateway clients of an application.
CREATE TABLE listeners (
    application_id BIGINT NOT NULL,
    node           BIGINT NOT NULL,
    until          BIGINT NOT NULL,
    checksum       BIGINT NOT NULL,
    PRIMARY KEY (application_id, node)
) /* by key */;

-- due is when to check whether the lobby has been idle for too long, NULL for never. timeout is in microseconds, metadata
-- is empty for none, secret is 1 when users join by a secret, channel_id is the linked channel.
CREATE TABLE lobbies (
    id             BIGINT PRIMARY KEY,
    application_id BIGINT NOT NULL,
    due            BIGINT,
    idle_since     BIGINT NOT NULL,
    timeout        BIGINT NOT NULL,
    flags          BIGINT NOT NULL,
    secret         BIGINT NOT NULL,
    channel_id     BIGINT NOT NULL,
    metadata       TEXT   NOT NULL,
    webhooks_url   TEXT   NOT NULL,
    checksum       BIGINT NOT NULL
) /* often changed */;
CREATE INDEX lobbies_due ON lobbies (due) WHERE due IS NOT NULL;
CREATE INDEX lobbies_application ON lobbies (application_id, id);
CREATE UNIQUE INDEX lobbies_channel ON lobbies (channel_id) WHERE channel_id <> 0;

CREATE TABLE lobby_members (
    lobby_id       BIGINT NOT NULL,
    user_id        BIGINT NOT NULL,
    application_id BIGINT NOT NULL,
    position       BIGINT NOT NULL,
    flags          BIGINT NOT NULL,
    metadata       TEXT   NOT NULL,
    name           TEXT   NOT NULL,
    checksum       BIGINT NOT NULL,
    PRIMARY KEY (lobby_id, user_id)
) /* by key */;
CREATE INDEX lobby_members_user ON lobby_members (user_id);

-- The lobbies of secrets, by the hashes of the secrets.
CREATE TABLE lobby_secrets (
    application_id BIGINT NOT NULL,
    hash           BYTEA  NOT NULL,
    lobby_id       BIGINT NOT NULL,
    created        BIGINT NOT NULL,
    checksum       BIGINT NOT NULL,
    PRIMARY KEY (application_id, hash)
) /* by key */;
CREATE INDEX lobby_secrets_lobby ON lobby_secrets (lobby_id);

CREATE TABLE lobby_messages (
    id             BIGINT PRIMARY KEY,
    lobby_id       BIGINT NOT NULL,
    application_id BIGINT NOT NULL,
    author_id      BIGINT NOT NULL,
    channel_id     BIGINT NOT NULL,
    content        TEXT   NOT NULL,
    name           TEXT   NOT NULL,
    moderation     TEXT   NOT NULL,
    checksum       BIGINT NOT NULL
);
CREATE INDEX lobby_messages_lobby ON lobby_messages (lobby_id, id);

-- Invites of members of lobbies to the guilds of the linked channels, by the hashes of their codes.
CREATE TABLE lobby_invites (
    hash           BYTEA  NOT NULL PRIMARY KEY,
    lobby_id       BIGINT NOT NULL,
    application_id BIGINT NOT NULL,
    channel_id     BIGINT NOT NULL,
    user_id        BIGINT NOT NULL,
    expires        BIGINT NOT NULL,
    checksum       BIGINT NOT NULL
) /* by key */;
CREATE INDEX lobby_invites_lobby ON lobby_invites (lobby_id);
CREATE INDEX lobby_invites_user ON lobby_invites (user_id);
CREATE INDEX lobby_invites_expires ON lobby_invites (expires);

-- doc never changes. due is when the state changes without a request, NULL for never. An interaction that is never due is
-- removed when it is old; its id contains its time. modal is NULL for none.
CREATE TABLE interactions (
    id             BIGINT PRIMARY KEY,
    application_id BIGINT NOT NULL,
    user_id        BIGINT NOT NULL,
    hash           BYTEA  NOT NULL,
    due            BIGINT,
    status         BIGINT NOT NULL,
    answer         BIGINT NOT NULL,
    follow_ups     BIGINT NOT NULL,
    deleted        BIGINT NOT NULL,
    original_id    BIGINT NOT NULL,
    modal          BYTEA,
    doc            BYTEA  NOT NULL,
    checksum       BIGINT NOT NULL
) /* often changed */;
CREATE INDEX interactions_due ON interactions (due) WHERE due IS NOT NULL;

CREATE TABLE messages (
    id         BIGINT PRIMARY KEY,
    channel_id BIGINT NOT NULL,
    ephemeral  BIGINT NOT NULL,
    doc        BYTEA  NOT NULL,
    checksum   BIGINT NOT NULL
);
CREATE INDEX messages_channel ON messages (channel_id, ephemeral, id);
CREATE INDEX messages_ephemeral ON messages (id) WHERE ephemeral <> 0;

-- The message of each file, including files that were removed from their message.
CREATE TABLE message_files (
    attachment_id BIGINT PRIMARY KEY,
    message_id    BIGINT NOT NULL,
    checksum      BIGINT NOT NULL
);
CREATE INDEX message_files_message ON message_files (message_id);

-- The files on disk that count against the quotas of their application and guild.
CREATE TABLE stored_files (
    attachment_id  BIGINT PRIMARY KEY,
    application_id BIGINT NOT NULL,
    guild_id       BIGINT NOT NULL,
    size           BIGINT NOT NULL,
    checksum       BIGINT NOT NULL
);
CREATE INDEX stored_files_application ON stored_files (application_id, size);
CREATE INDEX stored_files_guild ON stored_files (guild_id, size);

CREATE TABLE activities (
    launch_id BIGINT PRIMARY KEY,
    doc       BYTEA  NOT NULL,
    checksum  BIGINT NOT NULL
);

-- Access that users granted to applications. Codes and tokens are stored as hashes. until is when a row may be removed.
CREATE TABLE oauth_codes (
    hash           BYTEA  NOT NULL PRIMARY KEY,
    application_id BIGINT NOT NULL,
    user_id        BIGINT NOT NULL,
    until          BIGINT NOT NULL,
    doc            BYTEA  NOT NULL,
    checksum       BIGINT NOT NULL
) /* by key */;
CREATE INDEX oauth_codes_application ON oauth_codes (application_id, user_id);
CREATE INDEX oauth_codes_user ON oauth_codes (user_id);
CREATE INDEX oauth_codes_until ON oauth_codes (until);

CREATE TABLE oauth_grants (
    id             BYTEA  NOT NULL PRIMARY KEY,
    application_id BIGINT NOT NULL,
    user_id        BIGINT NOT NULL,
    until          BIGINT NOT NULL,
    doc            BYTEA  NOT NULL,
    checksum       BIGINT NOT NULL
) /* by key */;
CREATE INDEX oauth_grants_application ON oauth_grants (application_id, user_id);
CREATE INDEX oauth_grants_user ON oauth_grants (user_id);
CREATE INDEX oauth_grants_until ON oauth_grants (until);

CREATE TABLE oauth_consents (
    application_id BIGINT NOT NULL,
    user_id        BIGINT NOT NULL,
    doc            BYTEA  NOT NULL,
    checksum       BIGINT NOT NULL,
    PRIMARY KEY (application_id, user_id)
) /* by key */;
CREATE INDEX oauth_consents_user ON oauth_consents (user_id);

-- user_id is the user who decided, 0 before the decision.
CREATE TABLE oauth_devices (
    hash           BYTEA  NOT NULL PRIMARY KEY,
    user_code      BYTEA  NOT NULL,
    application_id BIGINT NOT NULL,
    user_id        BIGINT NOT NULL,
    until          BIGINT NOT NULL,
    doc            BYTEA  NOT NULL,
    checksum       BIGINT NOT NULL
) /* by key */;
CREATE UNIQUE INDEX oauth_devices_user_code ON oauth_devices (user_code);
CREATE INDEX oauth_devices_application ON oauth_devices (application_id);
CREATE INDEX oauth_devices_user ON oauth_devices (user_id);
CREATE INDEX oauth_devices_until ON oauth_devices (until);

CREATE TABLE oauth_keys (
    id       TEXT   NOT NULL PRIMARY KEY,
    created  BIGINT NOT NULL,
    doc      BYTEA  NOT NULL,
    checksum BIGINT NOT NULL
) /* by key */;

CREATE TABLE oauth_sessions (
    hash     BYTEA  NOT NULL PRIMARY KEY,
    user_id  BIGINT NOT NULL,
    until    BIGINT NOT NULL,
    doc      BYTEA  NOT NULL,
    checksum BIGINT NOT NULL
) /* by key */;
CREATE INDEX oauth_sessions_user ON oauth_sessions (user_id);
CREATE INDEX oauth_sessions_until ON oauth_sessions (until);

-- Client assertions that were used, by the hashes of their ids.
CREATE TABLE oauth_assertions (
    hash     BYTEA  NOT NULL PRIMARY KEY,
    until    BIGINT NOT NULL,
    doc      BYTEA  NOT NULL,
    checksum BIGINT NOT NULL
) /* by key */;
CREATE INDEX oauth_assertions_until ON oauth_assertions (until);

-- Users at another identity provider.
CREATE TABLE oauth_accounts (
    issuer   TEXT   NOT NULL,
    subject  TEXT   NOT NULL,
    user_id  BIGINT NOT NULL,
    doc      BYTEA  NOT NULL,
    checksum BIGINT NOT NULL,
    PRIMARY KEY (issuer, subject)
) /* by key */;
CREATE INDEX oauth_accounts_user ON oauth_accounts (user_id);

-- Who did what. The id contains the time.
CREATE TABLE audit (
    id       BIGINT PRIMARY KEY,
    actor    TEXT   NOT NULL,
    action   TEXT   NOT NULL,
    target   TEXT   NOT NULL,
    doc      BYTEA  NOT NULL,
    checksum BIGINT NOT NULL
);
CREATE INDEX audit_actor ON audit (actor, id);
CREATE INDEX audit_action ON audit (action, id);
CREATE INDEX audit_target ON audit (target, id);
