package store

import "time"

// ServiceKey is an Ed25519 key with which the service itself signs requests to other programs.
type ServiceKey struct {
	Name    string    `json:"name"` // what the key is for
	Seed    []byte    `json:"seed"`
	Sealed  string    `json:"sealed,omitzero"` // name of the key that Seed is encrypted with; empty: not encrypted
	Created time.Time `json:"created"`
}

// SealLabel names the key for its encryption.
func (k ServiceKey) SealLabel() string { return "service key " + k.Name }

func (k ServiceKey) subjects() []Subject { return []Subject{ServiceKeysSubject()} }

func (k ServiceKey) write(w *writes) { w.put(serviceKeysTable, k.Name, w.doc(k)) }

// ServiceKeyKey names a key of the service.
func ServiceKeyKey(name string) Key {
	return Key{subs: []Subject{ServiceKeysSubject()}, rows: []rowKey{{serviceKeysTable, []string{"name"}, []any{name}}}}
}

// ServiceKeys returns the keys of the service.
func (q GrantQueries) ServiceKeys() ([]ServiceKey, error) {
	q.read(ServiceKeysSubject())
	return list[ServiceKey](q.reader, serviceKeysTable, page{}, nil)
}
