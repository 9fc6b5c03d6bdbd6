package command

import (
	"slices"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

// Limits of an option.
const (
	maxOptions   = 25 // per list
	maxChoices   = 25
	maxTextLen   = 6000 // of the value of a String option, in code points
	maxFileTypes = 10
)

// readOptions reads a list of options. among are the types that the list can contain.
func readOptions(t *jsonbody.Tree, v jsonbody.Value, among []OptionType) []Option {
	items, _ := jsonbody.AsItems(t, v, maxOptions)
	if len(items) == 0 {
		return nil
	}
	list := make([]Option, len(items))
	for i := range items {
		list[i].read(t.Index(i), items[i], among)
	}
	checkTypes(t, list)
	checkOrder(t, list)
	checkNames(t, list)
	return list
}

// read reads one option. If its type is invalid or not in among, the type stays 0, and only the rules of all types
// apply.
func (o *Option) read(t *jsonbody.Tree, v jsonbody.Value, among []OptionType) {
	v, ok := jsonbody.AsItem(t, v)
	if !ok {
		return
	}
	o.Name, o.NameLocalizations = optionName.read(t, v)
	o.Description, o.DescriptionLocalizations = description.read(t, v)
	if o.Type = readOptionType(t, v, among); o.Type == 0 {
		return
	}
	own := takes[o.Type]
	refuseOthers(t, v, own)
	if own&required != 0 {
		o.Required = flag(t, v, "required", false)
	}
	if own&nested != 0 {
		o.readNested(t, v)
	}
	if own&choices != 0 {
		o.readChoices(t, v)
	}
	if own&kinds != 0 {
		o.readChannelTypes(t, v)
	}
	if own&bounds != 0 {
		o.readBounds(t, v)
	}
	if own&lengths != 0 {
		o.readLengths(t, v)
	}
	if own&files != 0 {
		o.readFileTypes(t, v)
	}
}

func readOptionType(t *jsonbody.Tree, v jsonbody.Value, among []OptionType) OptionType {
	v = v.Get("type")
	if !v.IsSet() {
		t.Add(jsonbody.TagFieldMissing, `Field "type" is required to determine the model type.`)
		return 0
	}
	n, ok := jsonbody.AsWhole(t.At("type"), v)
	switch {
	case !ok:
		return 0
	case n < int64(SubCommand) || n > int64(Attachment):
		jsonbody.WrongTag(t, anyOption...)
		return 0
	case !slices.Contains(among, OptionType(n)):
		jsonbody.WrongTag(t, among...)
		return 0
	}
	return OptionType(n)
}

// others lists the members that only some types allow.
var others = []struct {
	key  string
	code jsonbody.Code
	word string
}{
	{"required", requiredInvalid, "Required"},
	{"options", optionsInvalid, "Sub-options"},
	{"choices", choicesInvalid, "Choices"},
	{"autocomplete", autocompleteInvalid, "Autocomplete"},
	{"channel_types", channelTypesInvalid, "Channel types"},
	{"min_value", minValueInvalid, "Min value"},
	{"max_value", maxValueInvalid, "Max value"},
	{"min_length", minLengthInvalid, "Min length"},
	{"max_length", maxLengthInvalid, "Max length"},
	{"file_types", fileTypesInvalid, "File types"},
}

// refuseOthers reports members that the type does not allow. Empty ones pass, because clients send them for every
// option.
func refuseOthers(t *jsonbody.Tree, v jsonbody.Value, own member) {
	if takesAll(v, own) {
		return
	}
	for _, o := range others {
		if own&memberOf(o.key) == 0 && !isEmpty(v.Get(o.key)) {
			t.At(o.key).Add(o.code, o.word+" cannot be configured for this type of option")
		}
	}
}

// takesAll reports whether own includes every member of v. It is a fast path: it holds for nearly all options.
func takesAll(v jsonbody.Value, own member) bool {
	members := v.Members()
	for i := range members {
		if is := memberOf(members[i].Name); own&is != is {
			return false
		}
	}
	return true
}

// memberOf returns the member with a name, or 0 if all types allow it.
func memberOf(name string) member {
	switch name {
	case "required":
		return required
	case "options":
		return nested
	case "choices":
		return choices
	case "autocomplete":
		return autocomplete
	case "channel_types":
		return kinds
	case "min_value", "max_value":
		return bounds
	case "min_length", "max_length":
		return lengths
	case "file_types":
		return files
	}
	return 0
}

// isEmpty reports whether v is absent, null, false, [] or {}.
func isEmpty(v jsonbody.Value) bool {
	switch v.Kind() {
	case jsonbody.Bool:
		return v.String() == "false"
	case jsonbody.List:
		return len(v.Items()) == 0
	case jsonbody.Object:
		return len(v.Members()) == 0
	default:
		return !v.IsSet()
	}
}

func (o *Option) readNested(t *jsonbody.Tree, v jsonbody.Value) {
	if list := v.Get("options"); list.IsSet() {
		o.Options = readOptions(t.At("options"), list, o.Type.inside())
	}
}

func (o *Option) readChannelTypes(t *jsonbody.Tree, v jsonbody.Value) {
	list := v.Get("channel_types")
	if !list.IsSet() {
		return
	}
	at := t.At("channel_types")
	if items, _ := jsonbody.AsList(at, list); len(items) > 0 {
		o.ChannelTypes = asSet(at, items, channelTypes, channelTypes)
	}
}

func (o *Option) readChoices(t *jsonbody.Tree, v jsonbody.Value) {
	if list := v.Get("choices"); list.IsSet() {
		at := t.At("choices")
		items, _ := jsonbody.AsItems(at, list, maxChoices)
		if len(items) > 0 {
			o.Choices = make([]Choice, len(items))
		}
		for i := range items {
			o.Choices[i] = readChoice(at.Index(i), items[i], o.Type)
		}
	}
	o.Autocomplete = flag(t, v, "autocomplete", false)
	if o.Autocomplete && len(o.Choices) > 0 {
		t.At("autocomplete").Add(autocompleteInvalid, "Autocomplete cannot be enabled together with choices")
	}
}

func readChoice(t *jsonbody.Tree, v jsonbody.Value, of OptionType) Choice {
	v, ok := jsonbody.AsItem(t, v)
	if !ok {
		return Choice{}
	}
	var c Choice
	c.Name, c.NameLocalizations = choiceName.read(t, v)
	at, value := t.At("value"), v.Get("value")
	switch {
	case !value.IsSet():
		at.Required()
	case of != String:
		if f, ok := asNumber(at, value, of); ok {
			c.Value = NumberValue(f)
		}
	default:
		s, ok := jsonbody.AsString(at, value)
		if ok && jsonbody.Len(s) > maxChoiceText {
			at.Length(-1, maxChoiceText)
		}
		c.Value = TextValue(s)
	}
	return c
}

// asNumber reads a number that is a valid value for an option of a type.
func asNumber(t *jsonbody.Tree, v jsonbody.Value, of OptionType) (float64, bool) {
	if of == Number {
		return jsonbody.AsFloat(t, v, -jsonbody.MaxNumber, jsonbody.MaxNumber)
	}
	if v.Kind() != jsonbody.Number { // AsInt would accept a string of digits
		t.NotA("int", v.String())
		return 0, false
	}
	n, ok := jsonbody.AsInt(t, v, -jsonbody.MaxInteger, jsonbody.MaxInteger)
	return float64(n), ok
}

func (o *Option) readBounds(t *jsonbody.Tree, v jsonbody.Value) {
	read := func(key string) *float64 {
		if v := v.Get(key); v.IsSet() {
			if f, ok := asNumber(t.At(key), v, o.Type); ok {
				return new(unsignedZero(f))
			}
		}
		return nil
	}
	o.MinValue, o.MaxValue = read("min_value"), read("max_value")
	if o.MinValue != nil && o.MaxValue != nil && *o.MinValue > *o.MaxValue {
		word := "int"
		if o.Type == Number {
			word = "float"
		}
		t.At("min_value").Above(word, string(appendNumber(nil, *o.MaxValue)))
	}
}

func (o *Option) readLengths(t *jsonbody.Tree, v jsonbody.Value) {
	read := func(key string, least int64) *int {
		if v := v.Get(key); v.IsSet() {
			if n, ok := jsonbody.AsInt(t.At(key), v, least, maxTextLen); ok {
				return new(int(n))
			}
		}
		return nil
	}
	o.MinLength, o.MaxLength = read("min_length", 0), read("max_length", 1)
	if o.MinLength != nil && o.MaxLength != nil && *o.MinLength > *o.MaxLength {
		t.At("min_length").Above("int", strconv.Itoa(*o.MaxLength))
	}
}

func (o *Option) readFileTypes(t *jsonbody.Tree, v jsonbody.Value) {
	list := v.Get("file_types")
	if !list.IsSet() {
		return
	}
	at := t.At("file_types")
	items, _ := jsonbody.AsList(at, list)
	if len(items) > maxFileTypes {
		at.Length(-1, maxFileTypes)
		items = items[:maxFileTypes]
	}
	for i, item := range items {
		s, ok := jsonbody.AsString(at.Index(i), item)
		s = strings.ToLower(s)
		if ok && !isFileType(s) {
			at.Index(i).NotOneOf("'image'", "'video'", "'audio'", "'.<extension>'")
		}
		o.FileTypes = append(o.FileTypes, s)
	}
}

// isFileType reports whether s is a media type or a file name extension.
func isFileType(s string) bool {
	if s == "image" || s == "video" || s == "audio" {
		return true
	}
	const longest, letters = 32, "abcdefghijklmnopqrstuvwxyz0123456789"
	extension, ok := strings.CutPrefix(s, ".")
	return ok && extension != "" && len(extension) <= longest && strings.Trim(extension, letters) == ""
}
