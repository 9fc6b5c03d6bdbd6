package ratelimit

import "strconv"

// Key names one count: a limit and the one who is counted. It holds the ids themselves and no digest of them, so that
// no two counts share a key, on any node. The zero Key names nothing.
type Key struct {
	what    uint64 // the bucket, and above it who is counted plus one
	a, b, c uint64 // ids
}

func makeKey(bucket bucket, who Who, a, b, c uint64) Key {
	return Key{what: (uint64(who)+1)<<16 | uint64(bucket), a: a, b: b, c: c}
}

func (k Key) bucket() bucket { return bucket(k.what) }

// String returns a name for k that is the same on every node: the limit, who is counted, and the ids.
func (k Key) String() string {
	if k == (Key{}) {
		return ""
	}
	b := make([]byte, 0, 96)
	b = append(b, k.bucket().name()...)
	b = append(b, ':')
	b = append(b, Who(k.what>>16-1).String()...)
	for _, id := range [...]uint64{k.a, k.b, k.c} {
		b = append(b, ':')
		b = strconv.AppendUint(b, id, 10)
	}
	return string(b)
}

// Place returns what most counts of one caller have in common: where counts are spread over several servers, those of one
// place lie together.
func (k Key) Place() string {
	id := k.a
	switch Who(k.what>>16 - 1) {
	case PerAddress:
		return strconv.FormatUint(k.a, 16) + "." + strconv.FormatUint(k.b, 16)
	case PerCaller, PerCallerAndGuild, PerApplication, PerUser, PerInteraction:
		if id == 0 {
			id = k.b // a person without an application
		}
	}
	return strconv.FormatUint(id, 10)
}
