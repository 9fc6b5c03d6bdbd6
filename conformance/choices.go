package conformance

import "strconv"

const secChoice = "Choice object"

// choiceChecks returns the checks of choices.
func choiceChecks() []Check {
	of := func(kind int, choices ...any) obj { return with(option(kind, "a", obj{"choices": choices})) }
	choice := func(name, value any) obj { return obj{"name": name, "value": value} }
	numbered := func(i int) any { return choice("c"+strconv.Itoa(i), strconv.Itoa(i)) }
	return []Check{
		accepts("CHO-01", secChoice, 104, "Choices of STRING options have string values, which are returned unchanged.", of(3, choice("A", "a"), choice("B", "b"))),
		accepts("CHO-02", secChoice, 104, "Choices of INTEGER options have integer values, which are returned unchanged.", of(4, choice("A", 1), choice("B", -2))),
		accepts("CHO-03", secChoice, 104, "Choices of NUMBER options can have fractional values, which are returned unchanged.", of(10, choice("A", 0.5))),
		refuses("CHO-04", secChoice, 104, "A choice of an INTEGER option cannot have a string value.", of(4, choice("A", "a"))),
		refuses("CHO-05", secChoice, 104, "A choice of an INTEGER option cannot have a fractional value.", of(4, choice("A", 0.5))),
		refuses("CHO-06", secChoice, 104, "A choice of a STRING option cannot have a number as its value.", of(3, choice("A", 5))),
		accepts("CHO-07", secChoice, 102, "The name of a choice can have 100 characters.", of(3, choice(repeat(100), "a"))),
		refuses("CHO-08", secChoice, 102, "The name of a choice cannot have more than 100 characters.", of(3, choice(repeat(101), "a"))),
		refuses("CHO-09", secChoice, 102, "The name of a choice cannot be empty.", of(3, choice("", "a"))),
		accepts("CHO-10", secChoice, 104, "The string value of a choice can have 100 characters.", of(3, choice("A", repeat(100)))),
		refuses("CHO-11", secChoice, 104, "The string value of a choice cannot have more than 100 characters.", of(3, choice("A", repeat(101)))),
		refuses("CHO-12", secChoice, 104, "A choice must have a value.", of(3, obj{"name": "A"})),
		refuses("CHO-13", secChoice, 102, "A choice must have a name.", of(3, obj{"value": "a"})),
		accepts("CHO-14", secOption, 67, "An option can have 25 choices.", of(3, many(25, numbered)...)),
		refuses("CHO-15", secOption, 67, "An option cannot have more than 25 choices.", of(3, many(26, numbered)...)),
		refuses("CHO-16", secOption, 67, "BOOLEAN options cannot have choices.", of(5, choice("A", true))),
		accepts("CHO-17", secChoice, 103, "Choices can have localized names.", of(3, obj{"name": "A", "value": "a", "name_localizations": obj{"de": "Ah"}})),
	}
}
