package oauth

// Username exports username for tests.
var Username = username

// DecodeTrip exports decodeTrip for tests.
var DecodeTrip = decodeTrip

// Encode exports encode for tests.
func (t Trip) Encode() string { return t.encode() }
