package conformance

import "strconv"

const secChoice = "Choice object"

// choiceChecks are about choices.
func choiceChecks() []Check {
	of := func(kind int, choices ...any) obj { return with(option(kind, "a", obj{"choices": choices})) }
	choice := func(name, value any) obj { return obj{"name": name, "value": value} }
	numbered := func(i int) any { return choice("c"+strconv.Itoa(i), strconv.Itoa(i)) }
	return []Check{
		accepts("CHO-01", secChoice, 104, "Choices of STRING options are strings and come back.", of(3, choice("A", "a"), choice("B", "b"))),
		accepts("CHO-02", secChoice, 104, "Choices of INTEGER options are integers and come back.", of(4, choice("A", 1), choice("B", -2))),
		accepts("CHO-03", secChoice, 104, "Choices of NUMBER options may have fractions and come back.", of(10, choice("A", 0.5))),
		refuses("CHO-04", secChoice, 104, "A choice of an INTEGER option is no string.", of(4, choice("A", "a"))),
		refuses("CHO-05", secChoice, 104, "A choice of an INTEGER option has no fraction.", of(4, choice("A", 0.5))),
		refuses("CHO-06", secChoice, 104, "A choice of a STRING option is no number.", of(3, choice("A", 5))),
		accepts("CHO-07", secChoice, 102, "The name of a choice has up to 100 characters.", of(3, choice(repeat(100), "a"))),
		refuses("CHO-08", secChoice, 102, "The name of a choice has no more than 100 characters.", of(3, choice(repeat(101), "a"))),
		refuses("CHO-09", secChoice, 102, "The name of a choice is not empty.", of(3, choice("", "a"))),
		accepts("CHO-10", secChoice, 104, "The value of a choice has up to 100 characters.", of(3, choice("A", repeat(100)))),
		refuses("CHO-11", secChoice, 104, "The value of a choice has no more than 100 characters.", of(3, choice("A", repeat(101)))),
		refuses("CHO-12", secChoice, 104, "A choice has a value.", of(3, obj{"name": "A"})),
		refuses("CHO-13", secChoice, 102, "A choice has a name.", of(3, obj{"value": "a"})),
		accepts("CHO-14", secOption, 67, "An option has up to 25 choices.", of(3, many(25, numbered)...)),
		refuses("CHO-15", secOption, 67, "An option has no more than 25 choices.", of(3, many(26, numbered)...)),
		refuses("CHO-16", secOption, 67, "BOOLEAN options have no choices.", of(5, choice("A", true))),
		accepts("CHO-17", secChoice, 103, "Choices can have names in other languages.", of(3, obj{"name": "A", "value": "a", "name_localizations": obj{"de": "Ah"}})),
	}
}
