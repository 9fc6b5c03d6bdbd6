package ratelimit

import "strconv"

// Key identifies one counter: a limit and what it counts by. It holds the ids themselves, so that different counters
// never share a key. The zero Key identifies nothing.
type Key struct {
	what    uint64 // the bucket, and above it the Per value plus one
	a, b, c uint64 // ids
}

func makeKey(bucket bucket, per Per, a, b, c uint64) Key {
	return Key{what: (uint64(per)+1)<<16 | uint64(bucket), a: a, b: b, c: c}
}

func (k Key) bucket() bucket { return bucket(k.what) }

// String returns the key as text, the same on every node.
func (k Key) String() string {
	if k == (Key{}) {
		return ""
	}
	b := make([]byte, 0, 96)
	b = append(b, k.bucket().name()...)
	b = append(b, ':')
	b = append(b, Per(k.what>>16-1).String()...)
	for _, id := range [...]uint64{k.a, k.b, k.c} {
		b = append(b, ':')
		b = strconv.AppendUint(b, id, 10)
	}
	return string(b)
}

// HashTag returns what most keys of one caller have in common. A Redis cluster keeps keys with the same hash tag on one
// server.
func (k Key) HashTag() string {
	id := k.a
	switch Per(k.what>>16 - 1) {
	case PerAddress, PerAddressAndUser:
		return strconv.FormatUint(k.a, 16) + "." + strconv.FormatUint(k.b, 16)
	case PerCaller, PerCallerAndGuild, PerCallerAndChannel, PerApplication, PerUser, PerInteraction, PerChannel:
		if id == 0 {
			id = k.b // a user without an application
		}
	}
	return strconv.FormatUint(id, 10)
}
