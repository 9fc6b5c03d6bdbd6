-- Which session at an identity provider a session of a browser began with.

-- +goose Up

-- provider is a hash of the issuer and of the session's id at the provider; NULL: the session has none.
ALTER TABLE oauth_sessions ADD COLUMN provider BYTEA;
CREATE INDEX oauth_sessions_provider ON oauth_sessions (provider) WHERE provider IS NOT NULL;
