package jsonbody

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Code is the code of a finding in the API.
type Code string

// Finding is one broken rule.
type Finding struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

// MaxFindings bounds the findings in a tree, and with it the size of an error response. Later findings are dropped.
const MaxFindings = 4096

// Tree collects findings by path. The zero Tree is an empty root. At and Index return branches, which allocate
// nothing until a finding is added. A Tree with findings is an error; see Err.
type Tree struct {
	parent *Tree // nil for the root
	key    string
	node   *node // for the root only; nil before the first finding
}

// node holds the findings at one path and below it.
type node struct {
	findings []Finding
	children map[string]*node
	total    int // for the root: the number of findings in the tree
}

// At returns the branch for a member of an object.
func (t *Tree) At(key string) *Tree { return &Tree{parent: t, key: key} }

// Index returns the branch for an item of a list.
func (t *Tree) Index(i int) *Tree { return &Tree{parent: t, key: strconv.Itoa(i)} }

// Add adds a finding at t.
func (t *Tree) Add(code Code, message string) {
	root := t
	for root.parent != nil {
		root = root.parent
	}
	if root.node == nil {
		root.node = &node{}
	}
	if root.node.total == MaxFindings {
		return
	}
	root.node.total++
	n := t.attached()
	n.findings = append(n.findings, Finding{code, message})
}

// attached returns the node of t in the tree of the root and creates it if necessary. It does not retain t, so that the
// compiler can put branches on the stack: reading a valid member allocates nothing.
func (t *Tree) attached() *node {
	if t.parent == nil {
		return t.node
	}
	p := t.parent.attached()
	n, ok := p.children[t.key]
	if !ok {
		if p.children == nil {
			p.children = map[string]*node{}
		}
		n = &node{}
		p.children[t.key] = n
	}
	return n
}

// found returns the node of t, or nil if it has no findings at or below t.
func (t *Tree) found() *node {
	if t.parent == nil {
		return t.node
	}
	if p := t.parent.found(); p != nil {
		return p.children[t.key]
	}
	return nil
}

// Failed reports whether there are findings at t or below it.
func (t *Tree) Failed() bool {
	n := t.found()
	return n != nil && (len(n.findings) > 0 || len(n.children) > 0)
}

// Err returns t if it has findings, else nil.
func (t *Tree) Err() error {
	if t.Failed() {
		return t
	}
	return nil
}

// Error lists all findings with their paths.
func (t *Tree) Error() string {
	var b strings.Builder
	b.WriteString("invalid form body")
	sep := ": "
	t.Walk(func(path string, f Finding) {
		b.WriteString(sep)
		if path != "" {
			b.WriteString(path + ": ")
		}
		b.WriteString(f.Message)
		sep = "; "
	})
	return b.String()
}

// Walk calls fn for each finding with its dotted path, in the order of the paths. Items of lists come in the order of
// the list.
func (t *Tree) Walk(fn func(path string, f Finding)) {
	if n := t.found(); n != nil {
		n.walk("", fn)
	}
}

func (n *node) walk(path string, fn func(string, Finding)) {
	for _, f := range n.findings {
		fn(path, f)
	}
	for _, k := range n.keys() {
		below := k
		if path != "" {
			below = path + "." + k
		}
		n.children[k].walk(below, fn)
	}
}

// keys returns the keys of the children: numbers in ascending order, then names.
func (n *node) keys() []string {
	return slices.SortedFunc(maps.Keys(n.children), func(a, b string) int {
		x, errA := strconv.Atoi(a)
		y, errB := strconv.Atoi(b)
		switch {
		case errA == nil && errB == nil:
			return x - y
		case errA == nil:
			return -1
		case errB == nil:
			return 1
		}
		return strings.Compare(a, b)
	})
}

// Flat returns the codes by dotted path; the root's path is "".
func (t *Tree) Flat() map[string][]Code {
	flat := map[string][]Code{}
	t.Walk(func(path string, f Finding) { flat[path] = append(flat[path], f.Code) })
	return flat
}

// MarshalJSON writes the tree as the API does: each node is an object with its children, and its own findings in
// "_errors".
func (t *Tree) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := jsontext.NewEncoder(&b)
	n := t.found()
	if n == nil {
		n = &node{}
	}
	if err := n.encode(e); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

func (n *node) encode(e *jsontext.Encoder) error {
	if err := e.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	if len(n.findings) > 0 {
		if err := e.WriteToken(jsontext.String("_errors")); err != nil {
			return err
		}
		if err := json.MarshalEncode(e, n.findings); err != nil {
			return err
		}
	}
	for _, k := range n.keys() {
		if err := e.WriteToken(jsontext.String(k)); err != nil {
			return err
		}
		if err := n.children[k].encode(e); err != nil {
			return err
		}
	}
	return e.WriteToken(jsontext.EndObject)
}
