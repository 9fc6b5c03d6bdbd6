package ratelimit

import (
	"hash/maphash"
	"strconv"
)

// Key names one count: a limit and the one who is counted. It holds the ids themselves and no digest of them, so that
// no two counts share a key, on any node. The zero Key names nothing.
type Key struct {
	what uint64 // the bucket, and above it who is counted plus one
	ids  [3]uint64
}

func makeKey(b bucket, who Who, a, c, d uint64) Key {
	return Key{what: (uint64(who)+1)<<16 | uint64(b), ids: [3]uint64{a, c, d}}
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
	for _, id := range k.ids {
		b = append(b, ':')
		b = strconv.AppendUint(b, id, 10)
	}
	return string(b)
}

// digest stands for a key in a table: half its size, and spread evenly. Two keys of a million share one with a chance
// of less than one in 10^18, and nobody can look for such a pair without the secret.
type digest struct {
	lo uint64 // never 0
	hi uint64
}

// secret makes digests. It is drawn anew for every table.
type secret struct {
	seed    maphash.Seed
	factors [4]uint64
}

func newSecret() (s secret) {
	s.seed = maphash.MakeSeed()
	for i := range s.factors {
		s.factors[i] = maphash.Comparable(s.seed, i) | 1
	}
	return s
}

func (s *secret) digest(k Key) digest {
	f := &s.factors
	return digest{
		lo: max(maphash.Comparable(s.seed, k), 1),
		hi: k.what*f[0] + k.ids[0]*f[1] + k.ids[1]*f[2] + k.ids[2]*f[3],
	}
}
