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

// Code is the word by which programs know a finding.
type Code string

// Finding is one breach of a rule.
type Finding struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

// MaxFindings is how many findings a tree keeps. Those that come later are dropped: an answer is not longer for a
// document that is wrong in more places than anybody reads.
const MaxFindings = 4096

// Tree holds findings by path. Its zero value is the empty root. A branch costs nothing until something is added to
// it: it names a place, and the node for that place is made with the first finding. A Tree is an error once it holds
// a finding; see Err.
type Tree struct {
	parent *Tree // nil: the root
	key    string
	node   *node // of the root, nil before the first finding
}

// node holds the findings of one place, and of those below it.
type node struct {
	findings []Finding
	children map[string]*node
	total    int // of the root: findings in the whole tree
}

// At returns the branch for a member of the value that t speaks of.
func (t *Tree) At(key string) *Tree { return &Tree{parent: t, key: key} }

// Index returns the branch for an element of the list that t speaks of.
func (t *Tree) Index(i int) *Tree { return &Tree{parent: t, key: strconv.Itoa(i)} }

// Add notes a finding at t.
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

// attached returns the node of the root's tree that stands for t, making it when there is none. It does not keep t, so
// that the compiler can put the last branch of a path on the stack: reading a member that is right costs no memory.
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

// found returns the node that stands for t, or nil when nothing was added at or below it.
func (t *Tree) found() *node {
	if t.parent == nil {
		return t.node
	}
	if p := t.parent.found(); p != nil {
		return p.children[t.key]
	}
	return nil
}

// Failed reports whether anything was added at t itself or below it.
func (t *Tree) Failed() bool {
	n := t.found()
	return n != nil && (len(n.findings) > 0 || len(n.children) > 0)
}

// Err returns t when it holds a finding, else nil.
func (t *Tree) Err() error {
	if t.Failed() {
		return t
	}
	return nil
}

// Error lists the findings, one a path.
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

// Walk calls fn for each finding with its dotted path, in the order of the paths; list elements in the order of the list.
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

// keys returns the children's keys, numbers in their own order before names.
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

// MarshalJSON writes the nested form: a node is an object with its children, and its own findings under "_errors".
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
