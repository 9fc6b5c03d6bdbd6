package events

import "github.com/bellhop/bellhop/snowflake"

// Partition is a part of the event history, by audience. A node reads only the partitions of its sessions. A partition is
// a hash: several audiences can share one, which costs time and nothing else. All versions compute the same hashes.
type Partition uint32

// Everyone is the partition of events for all nodes.
const Everyone Partition = 0

// The kinds of audiences that have a partition.
const (
	guildPartition uint64 = 1 + iota
	accountPartition
	clientsPartition
)

// GuildPartition returns the partition of the events of a guild.
func GuildPartition(id snowflake.Guild) Partition { return partition(guildPartition, uint64(id)) }

// AccountPartition returns the partition of the events for a user, or for a bot by its application's id.
func AccountPartition(id snowflake.User) Partition { return partition(accountPartition, uint64(id)) }

// ClientsPartition returns the partition of the events for many users in the clients of an application.
func ClientsPartition(id snowflake.Application) Partition {
	return partition(clientsPartition, uint64(id))
}

// partition returns a hash of 31 bits that is not 0. It mixes the bits as SplitMix64 does.
func partition(kind, id uint64) Partition {
	x := id + kind*0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return Partition(max((x^x>>31)>>33, 1))
}

// maxAccounts is the number of users up to which an event is in the partition of each of them.
const maxAccounts = 32

// Partitions returns the partitions of an event. A node that reads one of them gets the event.
func (e *Event) Partitions() []Partition {
	c := e.Change
	switch {
	case e.Name == "" && c == nil: // what nodes tell each other, and lost events
		return []Partition{Everyone}
	case e.Name == "CHANNEL_DELETE", c != nil && (c.Everything || c.Closed || c.Left != 0): // all nodes have voice states
		return []Partition{Everyone}
	}
	list := e.To.partitions()
	if c != nil && c.Guild != 0 && c.Guild != e.To.Guild {
		list = append(list, GuildPartition(c.Guild))
	}
	if c != nil && c.Joined != 0 {
		list = append(list, AccountPartition(c.Joined))
	}
	if len(list) == 0 {
		return []Partition{Everyone}
	}
	return list
}

// partitions returns the partitions of an audience; none for the zero Audience.
func (a *Audience) partitions() []Partition {
	switch {
	case len(a.Users) > maxAccounts && a.Application != 0:
		return []Partition{ClientsPartition(a.Application)}
	case len(a.Users) > maxAccounts:
		return []Partition{Everyone}
	case len(a.Users) > 0:
		list := make([]Partition, len(a.Users))
		for i, id := range a.Users {
			list[i] = AccountPartition(id)
		}
		return list
	case a.Application != 0:
		return []Partition{AccountPartition(snowflake.User(a.Application))}
	case a.Guild != 0:
		return []Partition{GuildPartition(a.Guild)}
	}
	return nil
}

// Filter selects the partitions that have a bit: that with the number Partition & Mask. It selects others than those that it was made
// for too, up to one in 32.
type Filter struct {
	Bits []byte
	Mask uint32
}

// Sizes of filters, in bits.
const (
	minFilter     = 1 << 13
	maxFilter     = 1 << 17
	bitsPartition = 128
)

// AllPartitions selects every partition.
var AllPartitions = Filter{Bits: []byte{0xff}, Mask: 7}

// NewFilter returns a filter for partitions and Everyone.
func NewFilter(list []Partition) Filter {
	size := minFilter
	for size < maxFilter && size < bitsPartition*len(list) {
		size *= 2
	}
	f := Filter{Bits: make([]byte, size/8), Mask: uint32(size - 1)}
	f.add(Everyone)
	for _, p := range list {
		f.add(p)
	}
	return f
}

func (f *Filter) add(p Partition) {
	bit := uint32(p) & f.Mask
	f.Bits[bit/8] |= 1 << (bit % 8)
}

// Selects reports whether the filter selects a partition.
func (f *Filter) Selects(p Partition) bool {
	bit := uint32(p) & f.Mask
	return f.Bits[bit/8]&(1<<(bit%8)) != 0
}
