package conformance

const (
	secOption  = "Option object"
	secKinds   = "Option types"
	secNesting = "States and transitions"
	big        = 1 << 53
)

// optionChecks returns the checks of options.
func optionChecks() []Check {
	return append(optionShapeChecks(), optionValueChecks()...)
}

func optionShapeChecks() []Check {
	sub := func(options ...any) obj { return option(1, "sub", obj{"options": options}) }
	group := func(options ...any) obj { return option(2, "group", obj{"options": options}) }
	return []Check{
		refuses("OPT-01", secOption, 57, "Required options must be placed before optional ones.", with(option(3, "a"), option(3, "b", obj{"required": true}))),
		accepts("OPT-02", secOption, 57, "Optional options can follow required ones.", with(option(3, "a", obj{"required": true}), option(3, "b"))),
		refuses("OPT-03", secOption, 57, "Two options in one list cannot have the same name.", with(option(3, "a"), option(4, "a"))),
		refuses("OPT-04", secOption, 61, "An option must have a type.", with(option(3, "a", obj{"type": absent}))),
		refuses("OPT-05", secOption, 62, "An option must have a name.", with(option(3, "a", obj{"name": absent}))),
		refuses("OPT-06", secOption, 62, "The name of an option cannot have more than 32 characters.", with(option(3, repeat(33)))),
		refuses("OPT-07", secNaming, 51, "The name of an option must use lowercase letters.", with(option(3, "Loud"))),
		refuses("OPT-08", secOption, 64, "An option must have a description.", with(option(3, "a", obj{"description": absent}))),
		refuses("OPT-09", secOption, 64, "The description of an option cannot have more than 100 characters.", with(option(3, "a", obj{"description": repeat(101)}))),
		refuses("OPT-10", secKinds, 92, "The largest option type is 11; larger numbers are rejected.", with(option(12, "a"))),
		accepts("OPT-11", secKinds, 84, "A command can have options of all value types, and keeps their order.",
			with(many(9, func(i int) any { return option(i+3, "o"+string(rune('a'+i))) })...)),
		accepts("OPT-12", secOption, 29, "A command can have 25 options.", with(many(25, func(i int) any { return option(3, "o"+string(rune('a'+i))) })...)),
		refuses("OPT-13", secOption, 29, "A command cannot have more than 25 options.", with(many(26, func(i int) any { return option(3, "o"+string(rune('a'+i))) })...)),
		accepts("OPT-14", secNesting, 194, "A command can have groups with subcommands beside plain subcommands.", with(group(sub(option(3, "a"))), option(1, "other"))),
		refuses("OPT-15", secErrors, 294, "A group cannot contain a group.", with(group(group()))),
		refuses("OPT-16", secErrors, 294, "A subcommand cannot contain a group.", with(sub(group()))),
		refuses("OPT-17", secNesting, 194, "A subcommand cannot contain a subcommand.", with(sub(option(1, "inner")))),
		refuses("OPT-18", secOption, 68, "A subcommand cannot have more than 25 options.", with(sub(many(26, func(i int) any { return option(3, "o"+string(rune('a'+i))) })...))),
		refuses("OPT-19", secOption, 68, "Only subcommands and groups can have options.", with(option(3, "a", obj{"options": []any{option(3, "b")}}))),
		refuses("OPT-20", secOption, 66, "A subcommand cannot be required.", with(option(1, "sub", obj{"required": true}))),
		on("OPT-21", secOption, 66, "An option is optional by default.", Writes, func(p *probe) {
			made := p.create(p.global, with(option(3, "a")))
			if missing := mismatch("", made, obj{"options": []any{obj{"required": false}}}); missing != "" {
				p.fail("%s", missing)
			}
		}),
		refuses("OPT-22", secOption, 63, "A localized option name follows the same rules as the name.", with(option(3, "a", obj{"name_localizations": obj{"de": "Laut"}}))),
		refuses("OPT-23", secOption, 65, "A localized option description follows the same rules as the description.",
			with(option(3, "a", obj{"description_localizations": obj{"de": repeat(101)}}))),
	}
}

func optionValueChecks() []Check {
	return []Check{
		accepts("OPT-31", secOption, 69, "channel_types of a CHANNEL option are returned unchanged.", with(option(7, "a", obj{"channel_types": []any{0, 2}}))),
		refuses("OPT-32", secOption, 69, "Only CHANNEL options can have channel_types.", with(option(3, "a", obj{"channel_types": []any{0}}))),
		accepts("OPT-33", secOption, 70, "min_value and max_value of an INTEGER option are returned unchanged.", with(option(4, "a", obj{"min_value": -3, "max_value": 7}))),
		accepts("OPT-34", secOption, 70, "min_value and max_value of a NUMBER option can have fractions.", with(option(10, "a", obj{"min_value": 0.25, "max_value": 0.5}))),
		refuses("OPT-35", secOption, 70, "min_value of an INTEGER option cannot have a fraction.", with(option(4, "a", obj{"min_value": 0.5}))),
		refuses("OPT-36", secOption, 71, "A STRING option cannot have max_value.", with(option(3, "a", obj{"max_value": 5}))),
		accepts("OPT-37", secKinds, 85, "min_value and max_value of an INTEGER option can be -2^53+1 and 2^53-1.", with(option(4, "a", obj{"min_value": -big + 1, "max_value": big - 1}))),
		refuses("OPT-38", secKinds, 85, "max_value of an INTEGER option cannot be 2^53.", with(option(4, "a", obj{"max_value": big}))),
		accepts("OPT-39", secKinds, 91, "min_value and max_value of a NUMBER option can be -2^53 and 2^53.", with(option(10, "a", obj{"min_value": -big, "max_value": big}))),
		refuses("OPT-40", secKinds, 91, "max_value of a NUMBER option cannot be more than 2^53.", with(option(10, "a", obj{"max_value": 2 * big}))),
		accepts("OPT-41", secOption, 72, "min_length can be 0, and max_length can be 6000.", with(option(3, "a", obj{"min_length": 0, "max_length": 6000}))),
		refuses("OPT-42", secOption, 72, "min_length cannot be negative.", with(option(3, "a", obj{"min_length": -1}))),
		refuses("OPT-43", secOption, 72, "min_length cannot be more than 6000.", with(option(3, "a", obj{"min_length": 6001}))),
		refuses("OPT-44", secOption, 73, "max_length must be at least 1.", with(option(3, "a", obj{"max_length": 0}))),
		refuses("OPT-45", secOption, 73, "max_length cannot be more than 6000.", with(option(3, "a", obj{"max_length": 6001}))),
		refuses("OPT-46", secOption, 72, "An INTEGER option cannot have min_length.", with(option(4, "a", obj{"min_length": 1}))),
		accepts("OPT-47", secOption, 74, "STRING, INTEGER and NUMBER options can have autocomplete.",
			with(option(3, "a", obj{"autocomplete": true}), option(4, "b", obj{"autocomplete": true}), option(10, "c", obj{"autocomplete": true}))),
		refuses("OPT-48", secOption, 74, "BOOLEAN options cannot have autocomplete.", with(option(5, "a", obj{"autocomplete": true}))),
		refuses("OPT-49", secErrors, 293, "An option cannot have both autocomplete and choices.",
			with(option(3, "a", obj{"autocomplete": true, "choices": []any{obj{"name": "b", "value": "c"}}}))),
	}
}
