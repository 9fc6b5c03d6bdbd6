package world

import _ "embed" // of the demo world

//go:embed demo.yaml
var demo []byte

// Demo returns the world of a first try: three people, one app, one guild. Its tokens are known to everybody.
func Demo() World {
	w, err := Parse("demo.yaml", demo)
	if err != nil {
		panic(err) // a file of this package that its tests read
	}
	return w
}
