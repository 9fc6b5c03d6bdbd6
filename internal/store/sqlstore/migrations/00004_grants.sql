-- +goose Up

-- What people have granted to applications. Hashes are those of codes and tokens, which are not kept themselves. until is
-- when a row may go.
CREATE TABLE oauth_codes (
    hash           BYTEA  NOT NULL PRIMARY KEY,
    application_id BIGINT NOT NULL,
    user_id        BIGINT NOT NULL,
    until          BIGINT NOT NULL,
    doc            BYTEA  NOT NULL
) /* by key */;
CREATE INDEX oauth_codes_application ON oauth_codes (application_id, user_id);
CREATE INDEX oauth_codes_user ON oauth_codes (user_id);
CREATE INDEX oauth_codes_until ON oauth_codes (until);

CREATE TABLE oauth_grants (
    id             BYTEA  NOT NULL PRIMARY KEY,
    application_id BIGINT NOT NULL,
    user_id        BIGINT NOT NULL,
    doc            BYTEA  NOT NULL
) /* by key */;
CREATE INDEX oauth_grants_application ON oauth_grants (application_id, user_id);
CREATE INDEX oauth_grants_user ON oauth_grants (user_id);

CREATE TABLE oauth_consents (
    application_id BIGINT NOT NULL,
    user_id        BIGINT NOT NULL,
    doc            BYTEA  NOT NULL,
    PRIMARY KEY (application_id, user_id)
) /* by key */;
CREATE INDEX oauth_consents_user ON oauth_consents (user_id);

-- user_id is who decided, 0 while nobody has.
CREATE TABLE oauth_devices (
    hash           BYTEA  NOT NULL PRIMARY KEY,
    user_code      BYTEA  NOT NULL,
    application_id BIGINT NOT NULL,
    user_id        BIGINT NOT NULL,
    until          BIGINT NOT NULL,
    doc            BYTEA  NOT NULL
) /* by key */;
CREATE UNIQUE INDEX oauth_devices_user_code ON oauth_devices (user_code);
CREATE INDEX oauth_devices_application ON oauth_devices (application_id);
CREATE INDEX oauth_devices_user ON oauth_devices (user_id);
CREATE INDEX oauth_devices_until ON oauth_devices (until);

CREATE TABLE oauth_keys (
    id   TEXT   NOT NULL PRIMARY KEY,
    made BIGINT NOT NULL,
    doc  BYTEA  NOT NULL
) /* by key */;

CREATE TABLE oauth_sessions (
    hash    BYTEA  NOT NULL PRIMARY KEY,
    user_id BIGINT NOT NULL,
    until   BIGINT NOT NULL,
    doc     BYTEA  NOT NULL
) /* by key */;
CREATE INDEX oauth_sessions_user ON oauth_sessions (user_id);
CREATE INDEX oauth_sessions_until ON oauth_sessions (until);

-- Users at another identity provider.
CREATE TABLE oauth_accounts (
    issuer  TEXT   NOT NULL,
    subject TEXT   NOT NULL,
    user_id BIGINT NOT NULL,
    doc     BYTEA  NOT NULL,
    PRIMARY KEY (issuer, subject)
) /* by key */;
CREATE INDEX oauth_accounts_user ON oauth_accounts (user_id);
