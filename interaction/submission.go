package interaction

import (
	"slices"

	"github.com/bellhop/bellhop/form"
)

// Submission is the answer to a modal that fits it, but for what it speaks of: see Check.
type Submission struct {
	References
	CustomID    string
	Components  form.Value // as an app receives them
	Attachments []Attachment
}

// MatchModal checks an answer against the modal that was shown. The answer's components stand in the order of the
// modal's. An error is a *problem.Tree.
func MatchModal(m Modal, in Invoke, files []File) (Submission, error) {
	s := submitter{in: &in, files: files, given: map[string]form.Value{}}
	s.out.CustomID = m.CustomID
	s.out.code = ComponentInvalid
	ok := in.Modal.CustomID == m.CustomID && s.collect(in.Modal.Components, 0)
	list := make([]form.Value, 0, len(m.Components.list.Items()))
	for _, c := range m.Components.list.Items() {
		list = append(list, s.answer(c))
	}
	if !ok || s.wrong || len(s.given) > 0 {
		return Submission{}, Refuse(ComponentInvalid)
	}
	s.out.Components = form.ListOf(list...)
	return s.out, nil
}

// submitter puts what was filled in where the modal has its components.
type submitter struct {
	in    *Invoke
	files []File
	given map[string]form.Value // by custom id; what is left over belongs to no component
	wrong bool
	out   Submission
}

// collect notes what was sent under each custom id, however it is nested.
func (s *submitter) collect(list form.Value, depth int) bool {
	const deepest = 1
	items := list.Items()
	if len(items) > 0 && depth > deepest || len(items) > maxComponents {
		return false
	}
	for _, v := range items {
		if !s.take(v) || !s.take(v.Get("component")) || !s.collect(v.Get("components"), depth+1) {
			return false
		}
	}
	return true
}

func (s *submitter) take(v form.Value) bool {
	name := v.Get("custom_id")
	if name.Kind() != form.String {
		return true
	}
	_, twice := s.given[name.Text()]
	s.given[name.Text()] = v
	return !twice
}

// answer returns a component of the modal the way an app receives it.
func (s *submitter) answer(c form.Value) form.Value {
	members := []form.Member{{Name: "type", Value: c.Get("type")}, {Name: "id", Value: c.Get("id")}}
	kindOf := typeOf(c)
	switch kindOf {
	case Label:
		members = append(members, form.Member{Name: "component", Value: s.answer(c.Get("component"))})
	case ActionRow:
		inner := c.Get("components").Items()
		list := make([]form.Value, len(inner))
		for i := range inner {
			list[i] = s.answer(inner[i])
		}
		members = append(members, form.Member{Name: "components", Value: form.ListOf(list...)})
	case TextDisplay:
	default:
		name := c.Get("custom_id")
		given := s.given[name.Text()]
		delete(s.given, name.Text())
		if given.IsSet() && numeric(given, "type", int(kindOf)) != int(kindOf) {
			s.wrong = true
		}
		members = append(members, form.Member{Name: "custom_id", Value: name}, s.filled(kindOf, c, given))
	}
	return form.ObjectOf(members...)
}

// filled returns what was filled in.
func (s *submitter) filled(kindOf ComponentType, c, given form.Value) form.Member {
	switch kindOf {
	case TextInput:
		return form.Member{Name: "value", Value: s.typed(c, given.Get("value"))}
	case RadioGroup:
		v := given.Get("value")
		if v.IsSet() && !hasOption(c, v) || !v.IsSet() && isRequired(c) {
			s.wrong = true
		}
		return form.Member{Name: "value", Value: v}
	case Checkbox:
		v := given.Get("value")
		if v.IsSet() && v.Kind() != form.Bool {
			s.wrong = true
		}
		return form.Member{Name: "value", Value: boolean(isTrue(given, "value"))}
	default:
		return form.Member{Name: "values", Value: s.selected(kindOf, c, given.Get("values"))}
	}
}

func (s *submitter) typed(c, v form.Value) form.Value {
	if !v.IsSet() {
		v = form.StringOf("")
	}
	n := form.Len(v.Text())
	low, high := numeric(c, "min_length", 0), numeric(c, "max_length", maxTextInput)
	if isRequired(c) {
		low = max(low, 1)
	} else if n == 0 {
		low = 0
	}
	if v.Kind() != form.String || n < low || n > high {
		s.wrong = true
	}
	return v
}

func (s *submitter) selected(kindOf ComponentType, c, v form.Value) form.Value {
	values := v.Items()
	low, high := valueCount(kindOf, c)
	if !isRequired(c) && len(values) == 0 {
		low = 0
	}
	if v.IsSet() && v.Kind() != form.List || len(values) < low || len(values) > high {
		s.wrong = true
		return form.ListOf()
	}
	clean := make([]form.Value, len(values))
	for i, value := range values {
		if kindOf == FileUpload {
			clean[i] = s.upload(value)
			continue
		}
		clean[i] = value
		if value.Kind() != form.String || !s.out.pick(kindOf, c, value.Text(), s.in.Guild) ||
			slices.ContainsFunc(values[:i], func(v form.Value) bool { return v.Text() == value.Text() }) {
			s.wrong = true
		}
	}
	return form.ListOf(clean...)
}

// upload turns the index of a file into the id that the file will have.
func (s *submitter) upload(v form.Value) form.Value {
	n, ok := index(v)
	a, found := find(s.files, n, s.in.Filenames)
	if !ok || !found || a.Size > AttachmentSizeLimit ||
		slices.ContainsFunc(s.out.Attachments, func(b Attachment) bool { return b.ID == a.ID }) {
		s.wrong = true
		return form.Value{}
	}
	a.Ephemeral = true
	s.out.Attachments = append(s.out.Attachments, a)
	return form.StringOf(a.ID.String())
}
