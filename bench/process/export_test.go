package process

// The parsers of what the kernel says.
var (
	ParseStat   = parseStat
	ParseStatus = parseStatus
)
