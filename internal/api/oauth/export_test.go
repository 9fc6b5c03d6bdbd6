package oauth

// Username exports username for tests.
var Username = username
