package world

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/go-json-experiment/json/jsontext"
)

// positions maps wanted paths to their positions in a file.
type positions map[string]position

// wanted returns the paths of the problems and of their parents. A missing key is reported at the position of its
// parent.
func wanted(t *jsonbody.Tree) positions {
	p := positions{"": {1, 1}}
	t.Walk(func(path string, _ jsonbody.Finding) {
		for {
			if _, there := p[path]; there {
				return
			}
			p[path] = position{}
			path = parent(path)
		}
	})
	return p
}

// put sets the position of a wanted path. A later position replaces an earlier one.
func (p positions) put(path string, at position) {
	if _, wanted := p[path]; wanted {
		p[path] = at
	}
}

// set sets the position of a wanted path unless it is known.
func (p positions) set(path string, at position) {
	if known, wanted := p[path]; wanted && known == (position{}) {
		p[path] = at
	}
}

// of returns the position of a path, or of its nearest parent that has one.
func (p positions) of(path string) position {
	for p[path] == (position{}) && path != "" {
		path = parent(path)
	}
	return p[path]
}

func parent(path string) string {
	return path[:max(strings.LastIndexByte(path, '.'), 0)]
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// locateJSON finds positions in valid JSON.
func locateJSON(data []byte, want positions) {
	d := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true))
	lines := lineCounter{data: data}
	for {
		before := d.InputOffset()
		tk, err := d.ReadToken()
		if err != nil {
			return
		}
		path := dotted(d.StackPointer())
		if _, wanted := want[path]; !wanted {
			continue
		}
		gap := bytes.TrimLeft(data[before:], " \t\r\n,:")
		at := lines.at(len(data) - len(gap))
		if isKey(d, tk) {
			want.put(path, at)
		} else {
			want.set(path, at)
		}
	}
}

func isKey(d *jsontext.Decoder, tk jsontext.Token) bool {
	in, n := d.StackIndex(d.StackDepth())
	return tk.Kind() == jsontext.KindString && in == jsontext.KindBeginObject && n%2 == 1
}

// dotted converts a JSON pointer to a path.
func dotted(p jsontext.Pointer) string {
	var path string
	for name := range p.Tokens() {
		path = join(path, name)
	}
	return path
}

// lineCounter converts ascending offsets to positions.
type lineCounter struct {
	data   []byte
	offset int
	line   int // the number of lines before offset
	start  int // the offset of the line that contains offset
}

func (c *lineCounter) at(offset int) position {
	for {
		end := bytes.IndexByte(c.data[c.offset:offset], '\n')
		if end < 0 {
			break
		}
		c.offset += end + 1
		c.line++
		c.start = c.offset
	}
	c.offset = offset
	return position{c.line + 1, utf8.RuneCount(c.data[c.start:offset]) + 1}
}
