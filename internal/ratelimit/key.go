package ratelimit

import (
	"hash/maphash"
	"math/bits"
	"strconv"
)

// Key names one count: a limit and the one who is counted. It holds the ids themselves and no digest of them, so that
// no two counts share a key, on any node. The zero Key names nothing.
type Key struct {
	what    uint64 // the bucket, and above it who is counted plus one
	a, b, c uint64 // ids
}

func makeKey(bucket bucket, who Who, a, b, c uint64) Key {
	return Key{what: (uint64(who)+1)<<16 | uint64(bucket), a: a, b: b, c: c}
}

// besides reports whether two keys count the same ids, so that they have one place.
func (k *Key) besides(o *Key) bool { return k.a == o.a && k.b == o.b && k.c == o.c }

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

// digest stands for a key in a table: half its size, and spread evenly. Two keys of a million share one with a chance
// of less than one in 10^18, and nobody can look for such a pair without the secret.
type digest struct {
	place uint64 // of the ids alone, so that the counts of one caller lie side by side in memory; never 0
	mark  uint64 // of the whole key
}

// secret makes digests. It is drawn anew for every table. Products with it are all there is to a digest, since those
// are made without a detour over memory.
type secret struct {
	masks   [4]uint64
	factors [4]uint64 // odd
}

func newSecret() (s secret) {
	seed := maphash.MakeSeed()
	for i := range s.masks {
		s.masks[i] = maphash.Comparable(seed, i)
		s.factors[i] = maphash.Comparable(seed, ^i) | 1
	}
	return s
}

func (s *secret) digest(k Key) digest { return digest{place: s.place(k), mark: s.mark(k)} }

func (s *secret) place(k Key) uint64 {
	m := &s.masks
	return max(fold(fold(k.a^m[0], k.b^m[1])^m[2], k.c^m[3]), 1)
}

func (s *secret) mark(k Key) uint64 {
	f := &s.factors
	return k.what*f[0] + k.a*f[1] + k.b*f[2] + k.c*f[3]
}

// fold multiplies a and b and lays the two halves of the product over each other.
func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}
