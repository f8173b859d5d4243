-- What cleaning looks for among access tokens that are nearly all to be kept.
create index concurrently oauth_access_tokens_revoked on oauth_access_tokens (revoked_at) where expires_at is null;
