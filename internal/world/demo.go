package world

import _ "embed" // for demo.yaml

//go:embed demo.yaml
var demo []byte

// Demo returns a small world for trying the service: three users, one application and one guild. Its tokens are public.
func Demo() World {
	w, err := Parse("demo.yaml", demo)
	if err != nil {
		panic(err) // cannot happen: the tests parse the embedded file
	}
	return w
}
